import { Effect, Layer, Metric } from "effect"
import { clockOf } from "./series.ts"

/**
 * How late the event loop is: a timer that is due every 100 ms is asked how much later it came. The sum of a second is
 * the share of it in which nobody was answered, so that one long pause shows however rarely it is asked for.
 */
export const layerEventLoopMetrics: Layer.Layer<never> = Layer.effectDiscard(Effect.gen(function* () {
  const took = yield* clockOf(delays)
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      let due = performance.now() + everyMillis
      const timer = setInterval(() => {
        const now = performance.now()
        took(Math.max(0, now - due) / 1_000)
        due = now + everyMillis
      }, everyMillis)
      // It keeps no process from ending.
      timer.unref()
      return timer
    }),
    (timer) => Effect.sync(() => clearInterval(timer))
  )
}))

const everyMillis = 100

const delays = Metric.histogram("sliptrail_event_loop_delay_seconds", {
  description: "How much too late a timer of this process came that is due every 100 ms",
  boundaries: [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})
