import { Cause, Context, Exit, Option, type Tracer } from "effect"
import * as OtlpResource from "effect/observability/OtlpResource"
import { randomBytes } from "node:crypto"
import { errorOf } from "../../../ports/tracing.ts"

/**
 * The allowed span attributes. Names follow OpenTelemetry's conventions where one exists. The values are hosts, codes,
 * counts and ids of this service: never personal data, a key, a payload or the path of a URL.
 */
const allowedAttributes: ReadonlySet<string> = new Set([
  "db.collection.name",
  "db.operation.name",
  "db.system.name",
  "error.type",
  "http.request.method",
  "http.response.status_code",
  "http.route",
  "messaging.batch.message_count",
  "messaging.destination.name",
  "messaging.operation.name",
  "messaging.operation.type",
  "messaging.system",
  "peer.service",
  "server.address",
  "url.scheme",
  "sliptrail.answer",
  "sliptrail.attempt",
  "sliptrail.branch.id",
  "sliptrail.interrupted",
  "sliptrail.job.id",
  "sliptrail.outcome",
  "sliptrail.request.id",
  "sliptrail.sending_bank",
  "sliptrail.source"
])

/** A span in the JSON format of OTLP. */
export type OtlpSpan = ReturnType<typeof toOtlp>

/**
 * A span that is exported when it ends. It drops all other attributes, all events and all error messages: libraries can
 * put personal data into a span.
 */
export class ExportedSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly sampled = true
  readonly name: string
  readonly traceId: string
  /** Empty for the root span of a trace. */
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

  /** Replaces the id by an id that other processes can derive. Call it only before the span has children. */
  setSpanId(spanId: string): void {
    this.spanId = spanId
  }

  attribute(key: string, value: unknown): void {
    if (this.status._tag === "Started" && allowedAttributes.has(key)) this.attributes.set(key, value)
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

/** A parent without a span id: its child is the root span of the trace. */
export const traceRoot = (traceId: string): Tracer.ExternalSpan => externalSpan(traceId, "")

export const externalSpan = (traceId: string, spanId: string): Tracer.ExternalSpan => ({
  _tag: "ExternalSpan",
  traceId,
  spanId,
  sampled: true,
  annotations: Context.empty()
})

const kinds: Readonly<Record<Tracer.SpanKind, number>> = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 }

/** Without an error the status stays unset: the reader of the trace decides (OpenTelemetry, "Set Status"). */
const STATUS_UNSET = 0
const STATUS_ERROR = 2

const toOtlp = (span: ExportedSpan, endTime: bigint) => ({
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
  status: { code: span.attributes.has("error.type") ? STATUS_ERROR : STATUS_UNSET }
})
