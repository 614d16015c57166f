import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch, Metric, type Scope } from "effect"
import { PrometheusMetrics } from "effect/observability"
import type { EventStore } from "../../../ports/event-store.ts"
import { Leases } from "../../../ports/leases.ts"
import { ReadModels } from "../../../ports/read-models.ts"
import { appendEvent } from "../../support/event-fixtures.ts"
import { until } from "../../support/advance-clock.ts"
import { appendSome, caughtUp, jobs, leasesAlwaysHeld, startProjector, trail } from "./given-projector.ts"
import { layerPorts } from "../../support/ports.ts"

/** The metrics lines that start with the given text, sorted. */
const scraped = (start: string) =>
  Effect.map(PrometheusMetrics.format(), (text) => text.split("\n").filter((line) => line.startsWith(start)).sort())

/** A test with its own metric registry: by default all tests of a process share one. */
const test = (title: string, body: Effect.Effect<void, unknown, EventStore | Leases | ReadModels | Scope.Scope>) =>
  it.effect(
    title,
    () => body.pipe(Effect.provide(layerPorts()), Effect.provideService(Metric.MetricRegistry, new Map()))
  )

describe("the metrics of the projector", () => {
  test(
    "have the lag and the state of every projection, in every process",
    Effect.gen(function* () {
      yield* appendSome(3)
      yield* startProjector([jobs])
      yield* caughtUp("jobs.v1")
      yield* appendEvent("branch-1", "QuotaSet")
      const neverHeld = Leases.of({ whileHolding: () => Effect.never })
      yield* Effect.provideService(startProjector([trail]), Leases, neverHeld)
      yield* until(
        Effect.map(
          scraped("sliptrail_projection_state"),
          (lines) =>
            lines.includes(`sliptrail_projection_state{projection="jobs",state="live"} 1`)
            && lines.includes(`sliptrail_projection_state{projection="trail",state="standby"} 1`)
        )
      )
      assert.deepStrictEqual(yield* scraped(`sliptrail_projection_state{projection="trail"`), [
        `sliptrail_projection_state{projection="trail",state="catching-up"} 0`,
        `sliptrail_projection_state{projection="trail",state="failed"} 0`,
        `sliptrail_projection_state{projection="trail",state="live"} 0`,
        `sliptrail_projection_state{projection="trail",state="standby"} 1`
      ])
      yield* until(Effect.map(scraped("sliptrail_projection_lag_positions{"), (lines) =>
        lines.join()
          === `sliptrail_projection_lag_positions{projection="jobs"} 0,sliptrail_projection_lag_positions{projection="trail"} 4`))
      const [ofJobs, ofTrail] = yield* scraped("sliptrail_projection_lag_seconds{")
      assert.strictEqual(ofJobs, `sliptrail_projection_lag_seconds{projection="jobs"} 0`)
      assert.match(ofTrail ?? "", /projection="trail"\} (?!0$)/u)
    })
  )

  test(
    "have the number of projected events and of late batches",
    Effect.gen(function* () {
      const models = yield* ReadModels
      const paused = yield* Latch.make()
      const reached = yield* Latch.make()
      const slow = ReadModels.of({
        ...models,
        apply: (model, batch) => Effect.andThen(Effect.andThen(reached.open, paused.await), models.apply(model, batch))
      })
      yield* appendSome(7)
      yield* appendEvent("branch-1", "QuotaSet")
      yield* startProjector([jobs]).pipe(
        Effect.provideService(ReadModels, slow),
        Effect.provideService(Leases, leasesAlwaysHeld)
      )
      yield* until(Effect.sync(() => Latch.isOpen(reached)))
      yield* appendSome(2)
      yield* startProjector([jobs])
      yield* caughtUp("jobs.v1")
      const projected = [`sliptrail_projection_events_total{projection="jobs"} 9`]
      assert.deepStrictEqual(yield* scraped("sliptrail_projection_events_total{"), projected)
      yield* paused.open
      yield* until(
        Effect.map(
          scraped("sliptrail_projection_refused_batches_total{"),
          (lines) => lines.join() === `sliptrail_projection_refused_batches_total{projection="jobs"} 1`
        )
      )
      assert.deepStrictEqual(yield* scraped("sliptrail_projection_events_total{"), projected)
    })
  )
})
