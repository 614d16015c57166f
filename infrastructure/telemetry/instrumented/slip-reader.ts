import { Effect, Layer, Metric } from "effect"
import { SlipReader, type SlipReaderError } from "../../../ports/slip-reader.ts"
import { inSpan } from "../../../ports/tracing.ts"
import { failureOf, measured, secondsBoundaries } from "../measured.ts"
import { clockOf, tallyOf, watchedGauge } from "../series.ts"

type Outcome = "slip" | "no-slip" | SlipReaderError["reason"]

const outcomes: ReadonlyArray<Outcome> = [
  "slip",
  "no-slip",
  "not-an-image",
  "too-large",
  "too-many-pixels",
  "corrupt",
  "deadline",
  "busy",
  "unavailable"
]

/** The reader of pictures, measured and in traces. */
export const layerWatchedSlipReader: Layer.Layer<SlipReader, never, SlipReader> = Layer.effect(
  SlipReader,
  Effect.gen(function* () {
    const reader = yield* SlipReader
    const count = yield* tallyOf(pictures, "outcome", outcomes)
    const took = yield* clockOf(pictureSeconds)
    let inHand = 0
    yield* watchedGauge(picturesInHand, () => inHand)

    const counted = <A, E>(read: Effect.Effect<A, E>) =>
      Effect.acquireUseRelease(Effect.sync(() => inHand++), () => read, () => Effect.sync(() => inHand--))

    return SlipReader.of({
      read: (image) =>
        inSpan(
          { name: "SlipReader.read" },
          counted(measured(reader.read(image), (exit, seconds) => {
            took(seconds)
            if (exit._tag === "Success") count(exit.value.slip === undefined ? "no-slip" : "slip")
            else count(failureOf(exit)?.reason ?? "unavailable")
          }))
        )
    })
  })
)

const pictures = Metric.counter("sliptrail_pictures_total", {
  description: "Pictures that were looked at, by what was found in them or why they were not read",
  incremental: true
})
const pictureSeconds = Metric.histogram("sliptrail_picture_seconds", {
  description: "Time from a picture to what is in it, waiting included",
  boundaries: secondsBoundaries
})
const picturesInHand = Metric.gauge("sliptrail_pictures_in_hand", {
  description: "Pictures that are being read or wait for a reader"
})
