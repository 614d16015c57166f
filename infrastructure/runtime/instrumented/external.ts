import { Effect, type Exit, Layer, Metric } from "effect"
import { Egress, type EgressError, EgressReason, type EgressResponse } from "../../../ports/egress.ts"
import { SlipReader, SlipReaderReason } from "../../../ports/slip-reader.ts"
import { inSpan, type SpanResult } from "../../../ports/tracing.ts"
import {
  countByLabel,
  failureOf,
  measured,
  observableGauge,
  secondsBoundaries,
  secondsRecorder
} from "../../platform/telemetry/metrics.ts"

/** Adds metrics and spans to the egress. Spans contain only the scheme and the host of a URL. */
export const layerInstrumentedEgress: Layer.Layer<Egress, never, Egress> = Layer.effect(
  Egress,
  Effect.gen(function* () {
    const egress = yield* Egress
    const counted = (operation: "request" | "check") =>
      countByLabel(operations, "outcome", ["done", ...EgressReason.literals], { operation })
    const [requested, checked] = [yield* counted("request"), yield* counted("check")]
    const record = yield* secondsRecorder(requestSeconds)

    const request: Egress["Service"]["request"] = (options) =>
      inSpan(
        {
          name: options.method,
          kind: "client",
          attributes: { "http.request.method": options.method, ...urlAttributes(options.url) },
          resultOf
        },
        measured(egress.request(options), (exit, seconds) => {
          record(seconds)
          requested(failureOf(exit)?.reason ?? "done")
        })
      )
    const check: Egress["Service"]["check"] = (url, schemes, branchId) =>
      inSpan(
        { name: "Egress.check", attributes: urlAttributes(url) },
        measured(egress.check(url, schemes, branchId), (exit) => checked(failureOf(exit)?.reason ?? "done"))
      )
    return Egress.of({ request, check })
  })
)

const urlAttributes = (text: string) => {
  const url = URL.parse(text)
  return url === null ? {} : { "url.scheme": url.protocol.slice(0, -1), "server.address": url.hostname }
}

/** For a client every status from 400 on is an error (OpenTelemetry, "HTTP spans"). */
const resultOf = (exit: Exit.Exit<EgressResponse, EgressError>): SpanResult => {
  if (exit._tag === "Failure") return { error: failureOf(exit)?.reason ?? "defect" }
  const { status } = exit.value
  return { attributes: { "http.response.status_code": status }, error: status >= 400 ? String(status) : undefined }
}

const operations = Metric.counter("sliptrail_egress_operations_total", {
  description: "Requests to and checks of URLs from outside, by operation and outcome",
  incremental: true
})
const requestSeconds = Metric.histogram("sliptrail_egress_request_seconds", {
  description: "Time of a whole request to a URL from outside",
  boundaries: secondsBoundaries
})

const pictureOutcomes = ["slip", "no-slip", ...SlipReaderReason.literals] as const

/** Adds metrics and spans to the slip reader. */
export const layerInstrumentedSlipReader: Layer.Layer<SlipReader, never, SlipReader> = Layer.effect(
  SlipReader,
  Effect.gen(function* () {
    const reader = yield* SlipReader
    const count = yield* countByLabel(pictures, "outcome", pictureOutcomes)
    const record = yield* secondsRecorder(pictureSeconds)
    let inProgress = 0
    yield* observableGauge(picturesInProgress, () => inProgress)

    const counted = <A, E>(read: Effect.Effect<A, E>) =>
      Effect.acquireUseRelease(Effect.sync(() => inProgress++), () => read, () => Effect.sync(() => inProgress--))

    return SlipReader.of({
      read: (image, branchId) =>
        inSpan(
          { name: "SlipReader.read" },
          counted(measured(reader.read(image, branchId), (exit, seconds) => {
            record(seconds)
            if (exit._tag === "Success") count(exit.value.slips.length === 0 ? "no-slip" : "slip")
            else count(failureOf(exit)?.reason ?? "unavailable")
          }))
        )
    })
  })
)

const pictures = Metric.counter("sliptrail_pictures_total", {
  description: "Pictures by outcome: what was found, or why the picture was not read",
  incremental: true
})
const pictureSeconds = Metric.histogram("sliptrail_picture_seconds", {
  description: "Time to read a picture, including the time in the queue",
  boundaries: secondsBoundaries
})
const picturesInProgress = Metric.gauge("sliptrail_pictures_in_hand", {
  description: "Pictures that are being read or wait in the queue"
})
