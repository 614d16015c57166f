import { assert, describe, it } from "../../support/it.ts"
import { Effect, Latch } from "effect"
import { Leases } from "../../../ports/leases.ts"
import { ReadModels, ReadModelsError } from "../../../ports/read-models.ts"
import { until } from "../../support/advance-clock.ts"
import {
  appendSome,
  caughtUp,
  dump,
  jobs,
  leasesAlwaysHeld,
  replayed,
  startProjector,
  trail
} from "./given-projector.ts"
import { layerPorts } from "../../support/ports.ts"

const test = it.effect.with(layerPorts)

type Started = Effect.Success<ReturnType<typeof startProjector>>

const statesOf = (projector: Started) => Effect.map(projector.status, (all) => all.map(({ state }) => state))

const isLive = (projector: Started) =>
  until(Effect.map(projector.status, (all) => all.every(({ lag, state }) => state === "live" && lag === 0)))

/** A model that another process has projected up to the head of the log. */
const projectInAnotherProcess = Effect.gen(function* () {
  const another = yield* Effect.provideService(startProjector([jobs]), Leases, leasesAlwaysHeld)
  yield* caughtUp("jobs.v1")
  yield* another.stop
})

describe("a projection under a lease", () => {
  test("runs in one process and is on standby in the others, which report its position", function* () {
    yield* appendSome(20)
    const first = yield* startProjector([jobs, trail])
    yield* isLive(first)
    const second = yield* startProjector([jobs, trail])
    yield* appendSome(20)
    yield* isLive(first)
    assert.deepStrictEqual(yield* statesOf(second), ["standby", "standby"])
    const [ofFirst, ofSecond] = [yield* first.status, yield* second.status]
    assert.deepStrictEqual(
      ofSecond.map(({ checkpoint, lag }) => ({ checkpoint, lag })),
      ofFirst.map(
        ({ checkpoint, lag }) => ({ checkpoint, lag })
      )
    )
    assert.strictEqual(ofSecond[0]?.checkpoint.commit, 40n)
  })

  test("moves to another process when its process stops, and continues at its position", function* () {
    yield* appendSome(20)
    const first = yield* startProjector([jobs])
    yield* isLive(first)
    const second = yield* startProjector([jobs])
    yield* first.stop
    assert.deepStrictEqual(yield* statesOf(first), ["standby"])
    yield* appendSome(20)
    yield* isLive(second)
    assert.deepStrictEqual(yield* dump("jobs.v1"), yield* replayed(jobs))
  })

  test("is held for each projection separately", function* () {
    const first = yield* startProjector([jobs])
    yield* isLive(first)
    const second = yield* startProjector([jobs, trail])
    yield* appendSome(20)
    yield* caughtUp("jobs.v1")
    yield* caughtUp("trail.v2")
    yield* until(Effect.map(statesOf(second), (states) => states.join() === "standby,live"))
    assert.deepStrictEqual(yield* dump("trail.v2"), yield* replayed(trail))
  })

  test("changes to standby when it loses its lease, and continues at the position of the next holder", function* () {
    const { gained, leases, lost } = yield* oneLease
    yield* gained.open
    const projector = yield* Effect.provideService(startProjector([jobs]), Leases, leases)
    yield* appendSome(20)
    yield* isLive(projector)

    yield* gained.close
    yield* lost.open
    yield* until(Effect.map(statesOf(projector), ([state]) => state === "standby"))
    yield* appendSome(20)
    assert.strictEqual((yield* projector.status)[0]?.lag, 20)
    yield* projectInAnotherProcess
    assert.strictEqual((yield* projector.status)[0]?.lag, 0)

    yield* lost.close
    yield* gained.open
    yield* appendSome(20)
    yield* isLive(projector)
    assert.deepStrictEqual(yield* dump("jobs.v1"), yield* replayed(jobs))
  })

  test("reports why the position of the model is unknown", function* () {
    const models = yield* ReadModels
    const unavailable = ReadModels.of({
      ...models,
      checkpoint: () => Effect.fail(new ReadModelsError({ operation: "checkpoint", reason: "unavailable" }))
    })
    const neverHeld = Leases.of({ whileHolding: () => Effect.never })
    const projector = yield* startProjector([jobs]).pipe(
      Effect.provideService(ReadModels, unavailable),
      Effect.provideService(Leases, neverHeld)
    )
    const [status] = yield* projector.status
    assert.strictEqual(status?.state, "standby")
    assert.match(status?.error ?? "", /checkpoint unavailable/u)
  })

  test("changes nothing when a paused holder continues after another process took over", function* () {
    const models = yield* ReadModels
    const paused = yield* Latch.make()
    const reached = yield* Latch.make()
    const outcomes: Array<readonly [upTo: bigint, current: bigint]> = []
    const slow = ReadModels.of({
      ...models,
      apply: Effect.fnUntraced(function* (model, batch) {
        yield* reached.open
        yield* paused.await
        const current = yield* models.apply(model, batch)
        outcomes.push([batch.upTo.commit, current.commit])
        return current
      })
    })
    yield* appendSome(20)
    const holder = yield* startProjector([jobs]).pipe(
      Effect.provideService(ReadModels, slow),
      Effect.provideService(Leases, leasesAlwaysHeld)
    )
    yield* until(Effect.sync(() => Latch.isOpen(reached)))
    assert.deepStrictEqual(yield* statesOf(holder), ["catching-up"])
    yield* appendSome(13)
    yield* projectInAnotherProcess

    yield* paused.open
    yield* isLive(holder)
    assert.deepStrictEqual(
      outcomes,
      [[20n, 33n]],
      "its batch is refused, and the answer has the position of the model"
    )
    yield* appendSome(1)
    yield* caughtUp("jobs.v1")
    assert.deepStrictEqual(yield* dump("jobs.v1"), yield* replayed(jobs))
  })
})

/** A lease that the test grants and revokes. */
const oneLease = Effect.gen(function* () {
  const gained = yield* Latch.make()
  const lost = yield* Latch.make()
  const leases = Leases.of({
    whileHolding: <A, E, R>(_: string, run: Effect.Effect<A, E, R>) => {
      const hold: Effect.Effect<A, E, R> = Effect.suspend(() => Effect.andThen(gained.await, once))
      const once = Effect.flatten(Effect.raceFirst(Effect.map(run, Effect.succeed), Effect.as(lost.await, hold)))
      return hold
    }
  })
  return { gained, leases, lost }
})
