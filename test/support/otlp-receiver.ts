import { Effect, type Scope } from "effect"
import http from "node:http"
import { listening, type RecordedRequest, recording } from "./loopback-server.ts"

/** A received span. */
export interface ArrivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly name: string
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  readonly links: ReadonlyArray<{ readonly traceId: string; readonly spanId: string }>
  readonly events: ReadonlyArray<unknown>
  /** 0 open, 2 error. */
  readonly status: number
  readonly startedAt: bigint
  readonly endedAt: bigint
}

/** The path of a span in its trace: the names from the root to the span. `?` is a parent that was not received. */
export const pathOf = (spans: ReadonlyArray<ArrivedSpan>, { name, parentSpanId, traceId }: ArrivedSpan): string => {
  if (parentSpanId === "") return name
  const parent = spans.find((span) => span.traceId === traceId && span.spanId === parentSpanId)
  return `${parent === undefined ? "?" : pathOf(spans, parent)} > ${name}`
}

/** A collector for OTLP over HTTP that records everything. */
export interface OtlpReceiver {
  readonly url: string
  readonly requests: ReadonlyArray<RecordedRequest>
  /** All spans so far. */
  readonly spans: () => ReadonlyArray<ArrivedSpan>
  /** The attributes of the processes. */
  readonly resources: () => ReadonlyArray<Readonly<Record<string, string | number | boolean>>>
  /** The names of all metrics so far. */
  readonly metricNames: () => ReadonlySet<string>
  /** Sets the answer from now on. With `silence`, requests are not answered. */
  readonly answers: (status: number | "silence") => void
}

export const startOtlpReceiver: Effect.Effect<OtlpReceiver, never, Scope.Scope> = Effect.gen(function* () {
  const requests: Array<RecordedRequest> = []
  let answer: number | "silence" = 200
  const server = http.createServer(recording(requests, (_, response) => {
    if (answer !== "silence") response.writeHead(answer, { "content-type": "application/json" }).end("{}")
  }))
  const port = yield* listening(server, "127.0.0.1")
  const bodies = (path: string): ReadonlyArray<OtlpBody> =>
    requests.filter(({ url }) => url === path).map(({ body }) => JSON.parse(body))
  const traces = () => bodies("/v1/traces").flatMap(({ resourceSpans = [] }) => resourceSpans)
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    spans: () => traces().flatMap(({ scopeSpans }) => scopeSpans).flatMap(({ spans }) => spans).map(toSpan),
    resources: () => traces().map(({ resource }) => attributesOf(resource.attributes)),
    metricNames: () =>
      new Set(
        bodies("/v1/metrics").flatMap(({ resourceMetrics = [] }) => resourceMetrics).flatMap(({ scopeMetrics }) =>
          scopeMetrics.flatMap(({ metrics }) => metrics.map(({ name }) => name))
        )
      ),
    answers: (status) => {
      answer = status
    }
  }
})

interface OtlpAttribute {
  readonly key: string
  readonly value: {
    readonly stringValue?: string
    readonly intValue?: number
    readonly doubleValue?: number
    readonly boolValue?: boolean
  }
}

interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: ReadonlyArray<OtlpAttribute>
  readonly links: ArrivedSpan["links"]
  readonly events: ReadonlyArray<unknown>
  readonly status: { readonly code: number }
}

interface OtlpBody {
  readonly resourceSpans?: ReadonlyArray<{
    readonly resource: { readonly attributes: ReadonlyArray<OtlpAttribute> }
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<OtlpSpan> }>
  }>
  readonly resourceMetrics?: ReadonlyArray<{
    readonly scopeMetrics: ReadonlyArray<{ readonly metrics: ReadonlyArray<{ readonly name: string }> }>
  }>
}

const attributesOf = (attributes: ReadonlyArray<OtlpAttribute>): ArrivedSpan["attributes"] =>
  Object.fromEntries(
    attributes.map((
      { key, value: { boolValue, doubleValue, intValue, stringValue } }
    ) => [key, stringValue ?? intValue ?? doubleValue ?? boolValue ?? ""])
  )

const toSpan = ({ attributes, endTimeUnixNano, startTimeUnixNano, status, ...span }: OtlpSpan): ArrivedSpan => ({
  ...span,
  attributes: attributesOf(attributes),
  status: status.code,
  startedAt: BigInt(startTimeUnixNano),
  endedAt: BigInt(endTimeUnixNano)
})
