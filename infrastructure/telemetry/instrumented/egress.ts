import { Effect, type Exit, Layer, Metric } from "effect"
import { Egress, type EgressError, EgressReason, type EgressResponse } from "../../../ports/egress.ts"
import { inSpan, type Told } from "../../../ports/tracing.ts"
import { failureOf, measured, secondsBoundaries } from "../measured.ts"
import { clockOf, tallyOf } from "../series.ts"

type Way = Egress["Service"]

/** The way out, measured and in traces. Of a URL only its scheme and host are told. */
export const layerWatchedEgress: Layer.Layer<Egress, never, Egress> = Layer.effect(
  Egress,
  Effect.gen(function* () {
    const egress = yield* Egress
    const requested = yield* tallyOf(outcomes, "outcome", ["done", ...EgressReason.literals], { operation: "request" })
    const checked = yield* tallyOf(outcomes, "outcome", ["done", ...EgressReason.literals], { operation: "check" })
    const took = yield* clockOf(requestSeconds)

    const request: Way["request"] = (asked) =>
      inSpan(
        {
          name: asked.method,
          kind: "client",
          attributes: { "http.request.method": asked.method, ...placeOf(asked.url) },
          tell: toldOf
        },
        measured(egress.request(asked), (exit, seconds) => {
          took(seconds)
          requested(failureOf(exit)?.reason ?? "done")
        })
      )
    const check: Way["check"] = (url, schemes) =>
      inSpan(
        { name: "Egress.check", attributes: placeOf(url) },
        measured(egress.check(url, schemes), (exit) => checked(failureOf(exit)?.reason ?? "done"))
      )
    return Egress.of({ request, check })
  })
)

const placeOf = (text: string) => {
  const url = URL.parse(text)
  return url === null ? {} : { "url.scheme": url.protocol.slice(0, -1), "server.address": url.hostname }
}

/** What a client takes for an error is one: statuses from 400 on (OpenTelemetry, "HTTP spans"). */
const toldOf = (exit: Exit.Exit<EgressResponse, EgressError>): Told => {
  if (exit._tag === "Failure") return { error: failureOf(exit)?.reason ?? "defect" }
  const { status } = exit.value
  return { attributes: { "http.response.status_code": status }, error: status >= 400 ? String(status) : undefined }
}

const outcomes = Metric.counter("sliptrail_egress_operations_total", {
  description: "URLs of others that were fetched, called or judged, by operation and outcome: done, or why not",
  incremental: true
})
const requestSeconds = Metric.histogram("sliptrail_egress_request_seconds", {
  description: "Time of a whole exchange with somebody else's server",
  boundaries: secondsBoundaries
})
