import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema, Semaphore } from "effect"
import { randomUUID } from "node:crypto"
import { shadowName } from "../../projections/engine/model-name.ts"
import { beginning, type Position } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { Quota, type Reservation } from "../../ports/quota.ts"
import { ReadModels, type Write } from "../../ports/read-models.ts"
import { layerEventStoreMemory } from "../support/memory-event-store.ts"
import { untilDone } from "../support/advance-clock.ts"
import { runs } from "../support/runs.ts"
import { someEvent } from "../support/event-fixtures.ts"

export interface QuotaNaming {
  readonly model: string
  readonly monthSet: (branchId: string, month: string) => string
  readonly monthsSet: (branchId: string) => string
}

/**
 * What every adapter of the Quota port must do. `engine` gives empty read models, built once for each test; `quota` uses
 * that engine and counts the charges in the named sets.
 */
export const quotaContract = <Engine, E1, E2>(engine: string, adapter: {
  readonly engine: () => Layer.Layer<ReadModels | Engine, E1>
  readonly quota: (naming: QuotaNaming) => Layer.Layer<Quota, E2, EventStore | ReadModels | Engine>
}): void => {
  const withQuota = <A, E, R>(body: Effect.Effect<A, E, R>) =>
    Effect.provide(body, Layer.fresh(adapter.quota(quotaNaming)))
  const withEngine = <A, E, R>(body: Effect.Effect<A, E, R>) =>
    Effect.provide(body, Layer.merge(adapter.engine(), Layer.fresh(layerEventStoreMemory)))
  const test = (title: string, body: Effect.Effect<void, unknown, Quota | ReadModels>) =>
    it.effect(title, () => withEngine(withQuota(body)))

  describe(`Quota on ${engine}`, () => {
    test(
      "admits exactly the limit of any number of concurrent requests",
      Effect.gen(function* () {
        const quota = yield* Quota
        const answers = yield* Effect.forEach(
          Array.from({ length: 10 * 25 }, (_, index) => reservation(`r${index}`)),
          (wanted) => Effect.andThen(Effect.yieldNow, quota.reserve(wanted, 25)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(answers.filter((answer) => answer === "reserved").length, 25)
      })
    )

    test(
      "admits exactly the limit while charges are counted",
      Effect.gen(function* () {
        const quota = yield* Quota
        const projector = yield* Semaphore.make(1)
        const answers = yield* Effect.forEach(
          Array.from({ length: 10 * 8 }, (_, index) => reservation(`r${index}`)),
          Effect.fnUntraced(function* (wanted) {
            const answer = yield* quota.reserve(wanted, 8)
            if (answer === "exceeded") return answer
            yield* Effect.yieldNow
            yield* projector.withPermits(1)(project(charge(wanted)))
            return answer
          }),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(answers.filter((answer) => answer === "reserved").length, 8)
        assert.deepStrictEqual(yield* quota.usage("b1", month), { used: 8, totalUsed: 8 })
      })
    )

    test(
      "admits nothing under a limit of 0",
      Effect.gen(function* () {
        const quota = yield* Quota
        assert.strictEqual(yield* quota.reserve({ ...reservation("r"), branchId: "b2" }, 0), "exceeded")
      })
    )

    test(
      "counts each branch and each month separately",
      Effect.gen(function* () {
        const quota = yield* Quota
        assert.strictEqual(yield* quota.reserve(reservation("r1"), 1), "reserved")
        assert.strictEqual(yield* quota.reserve(reservation("r2"), 1), "exceeded")
        assert.strictEqual(yield* quota.reserve({ ...reservation("r2"), branchId: "b2" }, 1), "reserved")
        assert.strictEqual(yield* quota.reserve({ ...reservation("r2"), month: "2026-12" }, 1), "reserved")
      })
    )

    test(
      "takes one unit for one reservation id, however often it is reserved",
      Effect.gen(function* () {
        const quota = yield* Quota
        yield* quota.reserve(reservation("r1"), 2)
        assert.strictEqual(yield* quota.reserve(reservation("r1"), 2), "reserved")
        assert.strictEqual(yield* quota.reserve(reservation("r2"), 2), "reserved")
        assert.strictEqual(yield* quota.reserve(reservation("r1"), 2), "reserved")
        assert.strictEqual(yield* quota.reserve(reservation("r3"), 2), "exceeded")
      })
    )

    test(
      "takes no unit for a charged reservation, also when the quota is used up",
      Effect.gen(function* () {
        const quota = yield* Quota
        yield* project(charge(reservation("r1")))
        assert.strictEqual(yield* quota.reserve(reservation("r1"), 1), "reserved")
        yield* quota.release(reservation("r1"))
        assert.strictEqual(yield* quota.reserve(reservation("r2"), 1), "exceeded")
        assert.strictEqual(yield* quota.reserve(reservation("r2"), 2), "reserved")
      })
    )

    test(
      "gives a released unit to the next request",
      Effect.gen(function* () {
        const quota = yield* Quota
        yield* quota.reserve(reservation("r1"), 1)
        yield* quota.release(reservation("r1"))
        yield* quota.release(reservation("r1"))
        assert.strictEqual(yield* quota.reserve(reservation("r2"), 1), "reserved")
        assert.strictEqual(yield* quota.reserve(reservation("r3"), 1), "exceeded")
      })
    )

    test(
      "reserves several units in one step, all or none",
      Effect.gen(function* () {
        const quota = yield* Quota
        yield* project(charge(reservation("r1")))
        assert.strictEqual(yield* quota.reserve(reservation("r2"), 4), "reserved")
        assert.strictEqual(yield* quota.reserve(reservation("r3", "r4", "r5"), 4), "exceeded")
        // The charged and the reserved one take no further unit.
        assert.strictEqual(yield* quota.reserve(reservation("r1", "r2", "r3", "r4"), 4), "reserved")
        assert.strictEqual(yield* quota.reserve(reservation("r5"), 4), "exceeded")
        yield* quota.release(reservation("r2", "r3"))
        assert.strictEqual(yield* quota.reserve(reservation("r5", "r6"), 4), "reserved")
        assert.strictEqual(yield* quota.reserve(reservation("r7"), 4), "exceeded")
      })
    )

    test(
      "keeps a charged unit reserved until the read model counts it",
      Effect.gen(function* () {
        const quota = yield* Quota
        yield* quota.reserve(reservation("r1"), 1)
        assert.strictEqual(yield* quota.reserve(reservation("r2"), 1), "exceeded")
        assert.deepStrictEqual(yield* quota.usage("b1", month), { used: 0, totalUsed: 0 })
        yield* project(charge(reservation("r1")))
        assert.strictEqual(yield* quota.reserve(reservation("r2"), 1), "exceeded")
        assert.strictEqual(yield* quota.reserve(reservation("r2"), 2), "reserved")
        assert.deepStrictEqual(yield* quota.usage("b1", month), { used: 1, totalUsed: 1 })
      })
    )

    test(
      "counts a charge once while its reservation is open",
      Effect.gen(function* () {
        const quota = yield* Quota
        yield* quota.reserve(reservation("r1"), 2)
        yield* project(charge(reservation("r1")))
        assert.strictEqual(yield* quota.reserve(reservation("r2"), 2), "reserved")
        assert.strictEqual(yield* quota.reserve(reservation("r3"), 2), "exceeded")
      })
    )

    test(
      "counts a charge once when a shadow model counts it",
      Effect.gen(function* () {
        const quota = yield* Quota
        const models = yield* ReadModels
        yield* quota.reserve(reservation("r1"), 9)
        yield* quota.reserve(reservation("r2"), 9)
        yield* quota.reserve(reservation("r3"), 9)
        const shadow = shadowName(quotaNaming.model)
        const writes = [...charge(reservation("r1")), ...charge(reservation("r2"))]
        yield* models.apply(shadow, { after: beginning, upTo: at(2), writes })
        assert.strictEqual(yield* quota.reserve(reservation("r4"), 3), "exceeded")
        assert.isTrue(yield* models.promote(quotaNaming.model))
        assert.deepStrictEqual(yield* quota.usage("b1", month), { used: 2, totalUsed: 2 })
        assert.strictEqual(yield* quota.reserve(reservation("r4"), 3), "exceeded")
        assert.strictEqual(yield* quota.reserve(reservation("r4"), 4), "reserved")
        assert.strictEqual(yield* quota.reserve(reservation("r5"), 4), "exceeded")
      })
    )

    test(
      "frees the unit of a charge that the log takes back, also within one batch",
      Effect.gen(function* () {
        const quota = yield* Quota
        yield* quota.reserve(reservation("r1"), 1)
        yield* project([...charge(reservation("r1")), takeBack(reservation("r1"))])
        assert.strictEqual(yield* quota.reserve(reservation("r2"), 1), "reserved")
        yield* project(charge(reservation("r2")))
        yield* project([takeBack(reservation("r2"))])
        assert.strictEqual(yield* quota.reserve(reservation("r3"), 1), "reserved")
      })
    )

    test(
      "returns the charges of the month and of all months",
      Effect.gen(function* () {
        const quota = yield* Quota
        yield* project([...charge(reservation("r1")), ...charge(reservation("r2"))])
        yield* project(charge({ ...reservation("r3"), month: "2026-10" }))
        yield* project(charge({ ...reservation("r4"), branchId: "b2" }))
        yield* quota.reserve(reservation("under way"), 10)
        assert.deepStrictEqual(yield* quota.usage("b1", month), { used: 2, totalUsed: 3 })
        assert.deepStrictEqual(yield* quota.usage("b1", "2026-12"), { used: 0, totalUsed: 3 })
        assert.deepStrictEqual(yield* quota.usage("unknown", month), { used: 0, totalUsed: 0 })
      })
    )

    test(
      "confirms units that are held or charged",
      Effect.gen(function* () {
        const quota = yield* Quota
        yield* quota.reserve(reservation("r1"), 2)
        yield* quota.confirm(reservation("r1"))
        yield* project(charge(reservation("r1")), at(1))
        yield* quota.confirm(reservation("r1"))
      })
    )

    it.effect("decides nothing before the charges in the log are counted", () =>
      withEngine(Effect.gen(function* () {
        const log = yield* EventStore
        const { position } = yield* log.append("slip-1", "no-stream", [event])
        yield* withQuota(Effect.gen(function* () {
          const quota = yield* Quota
          const early = yield* Effect.forkChild(Effect.flip(quota.reserve(reservation("r2"), 1)))
          yield* untilDone(early)
          assert.propertyVal(yield* Fiber.join(early), "reason", "not-ready")

          const patient = yield* Effect.forkChild(quota.reserve(reservation("r2"), 1))
          yield* Effect.yieldNow
          yield* project(charge(reservation("r1")), position)
          yield* untilDone(patient)
          assert.strictEqual(yield* Fiber.join(patient), "exceeded")
        }))
      })))

    it.effect("decides nothing while the model is rebuilt", () =>
      withEngine(withQuota(Effect.gen(function* () {
        const quota = yield* Quota
        const models = yield* ReadModels
        yield* (yield* EventStore).append("slip-1", "no-stream", [event, { ...event, id: randomUUID() }])
        yield* project(charge(reservation("r1")), at(1))
        yield* project(charge(reservation("r2")), at(2))
        yield* models.clear(quotaNaming.model, at(2))
        yield* project(charge(reservation("r1")), at(1))
        const early = yield* Effect.forkChild(Effect.flip(quota.reserve(reservation("r3"), 2)))
        yield* untilDone(early)
        assert.propertyVal(yield* Fiber.join(early), "reason", "not-ready")
        yield* project(charge(reservation("r2")), at(2))
        assert.strictEqual(yield* quota.reserve(reservation("r3"), 2), "exceeded")
      }))))

    it.effect.prop(
      "admits what a naive model admits, in any order of reserving, releasing and counting",
      [Schema.Array(Step)],
      ([steps]) =>
        withEngine(withQuota(Effect.gen(function* () {
          const quota = yield* Quota
          const units = new Map<string, "open" | "counted">()
          for (const { id, kind } of steps) {
            const unit = units.get(id)
            const wanted = reservation(id)
            if (kind === "reserve") {
              const answer = yield* quota.reserve(wanted, 2)
              assert.strictEqual(answer, unit !== undefined || units.size < 2 ? "reserved" : "exceeded")
              if (answer === "reserved" && unit === undefined) units.set(id, "open")
            } else if (kind === "release") {
              yield* quota.release(wanted)
              if (unit === "open") units.delete(id)
            } else if (kind === "count" && unit !== undefined) {
              yield* project(charge(wanted))
              units.set(id, "counted")
            } else if (kind === "take back" && unit === "counted") {
              yield* project([takeBack(wanted)])
              units.delete(id)
            }
            const used = [...units.values()].filter((state) => state === "counted").length
            assert.deepStrictEqual(yield* quota.usage("b1", month), { used, totalUsed: used })
          }
        }))),
      { arbitrary: { runs: runs(30), size: 40 } }
    )
  })
}

/** The sets that count the charges of these tests. */
export const quotaNaming: QuotaNaming = {
  model: "quota.v1",
  monthSet: (branchId, month) => `month:${branchId}:${month}`,
  monthsSet: (branchId) => `months:${branchId}`
}

const month = "2026-11"
const reservation = (...reservationIds: ReadonlyArray<string>): Reservation => ({
  branchId: "b1",
  month,
  reservationIds
})
const at = (place: number | bigint): Position => ({ commit: BigInt(place), prepare: BigInt(place) })

const charge = ({ branchId, month, reservationIds }: Reservation): ReadonlyArray<Write> => [
  ...reservationIds.map((member): Write => ({
    _tag: "AddMember",
    set: quotaNaming.monthSet(branchId, month),
    member,
    score: 1
  })),
  { _tag: "AddMember", set: quotaNaming.monthsSet(branchId), member: month, score: Number(month.replace("-", "")) }
]

const takeBack = ({ branchId, month, reservationIds: [member = ""] }: Reservation): Write => ({
  _tag: "RemoveMember",
  set: quotaNaming.monthSet(branchId, month),
  member
})

/** Applies the next batch of the model, up to the next position or a given one, as the projector does. */
const project = (writes: ReadonlyArray<Write>, upTo?: Position) =>
  Effect.gen(function* () {
    const models = yield* ReadModels
    let current = beginning
    let goal = beginning
    do {
      const after = yield* models.checkpoint(quotaNaming.model)
      goal = upTo ?? at(after.commit + 1n)
      current = yield* models.apply(quotaNaming.model, { after, upTo: goal, writes })
    } while (current.commit !== goal.commit)
  })

const event = someEvent("0b4d3c1e-6f5a-5d7c-8e9f-000000000001", "SlipVerified")

const Step = Schema.Struct({
  kind: Schema.Literals(["reserve", "reserve", "release", "count", "take back"]),
  id: Schema.Literals(["r1", "r2", "r3", "r4"])
})
