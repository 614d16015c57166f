import { Cause, Context, Exit, Option, type Tracer } from "effect"
import { OtlpResource } from "effect/observability"
import { randomBytes } from "node:crypto"
import { errorOf } from "../../ports/tracing.ts"
import { isTold } from "./attributes.ts"

/** A span as OTLP has it in JSON. */
export type OtlpSpan = ReturnType<typeof toOtlp>

/**
 * A span that is sent once it ends. It takes no attribute but those of the list, no events and no words of errors: what
 * a library or a forgotten line puts into a span does not leave the house.
 */
export class WatchedSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly sampled = true
  readonly name: string
  readonly traceId: string
  /** Empty where the span begins its trace. */
  readonly parentSpanId: string
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly annotations: Context.Context<never>
  readonly kind: Tracer.SpanKind
  readonly links: Array<Tracer.SpanLink>
  readonly attributes = new Map<string, unknown>()
  spanId = randomBytes(8).toString("hex")
  status: Tracer.SpanStatus
  readonly #send: (span: OtlpSpan) => void

  constructor(
    { annotations, kind, links, name, startTime }: Parameters<Tracer.Tracer["span"]>[0],
    parent: Tracer.AnySpan,
    send: (span: OtlpSpan) => void
  ) {
    this.name = name
    this.traceId = parent.traceId
    this.parentSpanId = parent.spanId
    this.parent = Option.some(parent)
    this.annotations = annotations
    this.kind = kind
    this.links = links
    this.status = { _tag: "Started", startTime }
    this.#send = send
  }

  /** Takes an id that others know without being told; before anything is beneath the span. */
  known(spanId: string): void {
    this.spanId = spanId
  }

  attribute(key: string, value: unknown): void {
    if (this.status._tag === "Started" && isTold(key)) this.attributes.set(key, value)
  }

  event(): void {}

  addLinks(links: ReadonlyArray<Tracer.SpanLink>): void {
    if (this.status._tag === "Started") { for (const link of links) this.links.push(link) }
  }

  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    if (this.status._tag === "Ended") return
    const error = errorOf(exit)
    if (error !== undefined) this.attribute("error.type", error)
    if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) this.attribute("sliptrail.interrupted", true)
    this.status = { _tag: "Ended", startTime: this.status.startTime, endTime, exit }
    this.#send(toOtlp(this, endTime))
  }
}

/** A parent of which only the trace is known: what stands beneath it begins the trace. */
export const beginning = (traceId: string): Tracer.ExternalSpan => external(traceId, "")

export const external = (traceId: string, spanId: string): Tracer.ExternalSpan => ({
  _tag: "ExternalSpan",
  traceId,
  spanId,
  sampled: true,
  annotations: Context.empty()
})

const kinds: Readonly<Record<Tracer.SpanKind, number>> = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 }

/** Without an error the status is left open: that is for whoever watches to say (OpenTelemetry, "Set Status"). */
const OPEN = 0
const ERROR = 2

const toOtlp = (span: WatchedSpan, endTime: bigint) => ({
  traceId: span.traceId,
  spanId: span.spanId,
  parentSpanId: span.parentSpanId,
  name: span.name,
  kind: kinds[span.kind],
  startTimeUnixNano: String(span.status.startTime),
  endTimeUnixNano: String(endTime),
  attributes: OtlpResource.entriesToAttributes(span.attributes),
  droppedAttributesCount: 0,
  events: [],
  droppedEventsCount: 0,
  links: span.links.map(({ span: { spanId, traceId } }) => ({
    traceId,
    spanId,
    attributes: [],
    droppedAttributesCount: 0
  })),
  droppedLinksCount: 0,
  status: { code: span.attributes.has("error.type") ? ERROR : OPEN }
})
