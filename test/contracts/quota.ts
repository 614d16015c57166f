import { assert, type Body, describe, effectOf, it } from "../support/it.ts"
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

/**
 * What every adapter of the Quota port must do. `engine` gives empty read models, built once for each test; `quota` uses
 * that engine and the model of that name.
 */
export const quotaContract = <Engine, E1, E2>(engine: string, adapter: {
  readonly engine: () => Layer.Layer<ReadModels | Engine, E1>
  readonly quota: (options: { readonly model: string }) => Layer.Layer<Quota, E2, EventStore | ReadModels | Engine>
}): void => {
  const withQuota = <A, E, R>(body: Effect.Effect<A, E, R>) =>
    Effect.provide(body, Layer.fresh(adapter.quota({ model })))
  const withEngine = <A, E, R>(body: Effect.Effect<A, E, R>) =>
    Effect.provide(body, Layer.merge(adapter.engine(), Layer.fresh(layerEventStoreMemory)))
  const test = (title: string, body: Body<Quota | ReadModels, []>) =>
    it.effect(title, () => withEngine(withQuota(effectOf(body))))

  describe(`Quota on ${engine}`, () => {
    test("admits exactly the limit of any number of concurrent requests", function* () {
      const answers = yield* Effect.forEach(
        Array.from({ length: 10 * 25 }, (_, index) => `r${index}`),
        (id) => Effect.andThen(Effect.yieldNow, reserve(25, id)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter((answer) => answer === "reserved").length, 25)
    })

    test("admits exactly the limit while charges are counted", function* () {
      const quota = yield* Quota
      const projector = yield* Semaphore.make(1)
      const answers = yield* Effect.forEach(
        Array.from({ length: 10 * 8 }, (_, index) => `r${index}`),
        Effect.fnUntraced(function* (id) {
          const answer = yield* reserve(8, id)
          if (answer === "exceeded") return answer
          yield* Effect.yieldNow
          yield* projector.withPermits(1)(project(charge(id)))
          return answer
        }),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter((answer) => answer === "reserved").length, 8)
      assert.deepStrictEqual(yield* quota.usage([month]), [8])
    })

    test("admits nothing under a limit of 0", function* () {
      assert.strictEqual(yield* reserve(0, "r"), "exceeded")
    })

    test("counts each set separately", function* () {
      const quota = yield* Quota
      assert.strictEqual(yield* reserve(1, "r1"), "reserved")
      assert.strictEqual(yield* reserve(1, "r2"), "exceeded")
      assert.strictEqual(yield* quota.reserve(reservation(["r2"], { [otherDay]: 1 })), "reserved")
    })

    test("takes one unit for one reservation id, however often it is reserved", function* () {
      yield* reserve(2, "r1")
      assert.strictEqual(yield* reserve(2, "r1"), "reserved")
      assert.strictEqual(yield* reserve(2, "r2"), "reserved")
      assert.strictEqual(yield* reserve(2, "r1"), "reserved")
      assert.strictEqual(yield* reserve(2, "r3"), "exceeded")
    })

    test("takes no unit for a charged reservation, also when the quota is used up", function* () {
      const quota = yield* Quota
      yield* project(charge("r1"))
      assert.strictEqual(yield* reserve(1, "r1"), "reserved")
      yield* quota.release(reservation(["r1"]))
      assert.strictEqual(yield* reserve(1, "r2"), "exceeded")
      assert.strictEqual(yield* reserve(2, "r2"), "reserved")
    })

    test("gives a released unit to the next request", function* () {
      const quota = yield* Quota
      yield* reserve(1, "r1")
      yield* quota.release(reservation(["r1"]))
      yield* quota.release(reservation(["r1"]))
      assert.strictEqual(yield* reserve(1, "r2"), "reserved")
      assert.strictEqual(yield* reserve(1, "r3"), "exceeded")
    })

    test("reserves several units in one step, all or none", function* () {
      const quota = yield* Quota
      yield* project(charge("r1"))
      assert.strictEqual(yield* reserve(4, "r2"), "reserved")
      assert.strictEqual(yield* reserve(4, "r3", "r4", "r5"), "exceeded")
      // The charged and the reserved one take no further unit.
      assert.strictEqual(yield* reserve(4, "r1", "r2", "r3", "r4"), "reserved")
      assert.strictEqual(yield* reserve(4, "r5"), "exceeded")
      yield* quota.release(reservation(["r2", "r3"]))
      assert.strictEqual(yield* reserve(4, "r5", "r6"), "reserved")
      assert.strictEqual(yield* reserve(4, "r7"), "exceeded")
    })

    test("keeps a charged unit reserved until the read model counts it", function* () {
      const quota = yield* Quota
      yield* reserve(1, "r1")
      assert.strictEqual(yield* reserve(1, "r2"), "exceeded")
      assert.deepStrictEqual(yield* quota.usage([month]), [0])
      yield* project(charge("r1"))
      assert.strictEqual(yield* reserve(1, "r2"), "exceeded")
      assert.strictEqual(yield* reserve(2, "r2"), "reserved")
      assert.deepStrictEqual(yield* quota.usage([month]), [1])
    })

    test("counts a charge once while its reservation is open", function* () {
      yield* reserve(2, "r1")
      yield* project(charge("r1"))
      assert.strictEqual(yield* reserve(2, "r2"), "reserved")
      assert.strictEqual(yield* reserve(2, "r3"), "exceeded")
    })

    test("counts a charge once when a shadow model counts it", function* () {
      const quota = yield* Quota
      const models = yield* ReadModels
      yield* reserve(9, "r1")
      yield* reserve(9, "r2")
      yield* reserve(9, "r3")
      const shadow = shadowName(model)
      const writes = [...charge("r1"), ...charge("r2")]
      yield* models.apply(shadow, { after: beginning, upTo: at(2), writes })
      assert.strictEqual(yield* reserve(3, "r4"), "exceeded")
      assert.isTrue(yield* models.promote(model))
      assert.deepStrictEqual(yield* quota.usage([month]), [2])
      assert.strictEqual(yield* reserve(3, "r4"), "exceeded")
      assert.strictEqual(yield* reserve(4, "r4"), "reserved")
      assert.strictEqual(yield* reserve(4, "r5"), "exceeded")
    })

    test("frees the unit of a charge that the log takes back, also within one batch", function* () {
      yield* reserve(1, "r1")
      yield* project([...charge("r1"), takeBack("r1")])
      assert.strictEqual(yield* reserve(1, "r2"), "reserved")
      yield* project(charge("r2"))
      yield* project([takeBack("r2")])
      assert.strictEqual(yield* reserve(1, "r3"), "reserved")
    })

    test("holds units against every limit, or against none", function* () {
      const quota = yield* Quota
      const both = (...ids: ReadonlyArray<string>) => reservation(ids, { [month]: 4, [day]: 2 })
      assert.strictEqual(yield* quota.reserve(both("r1", "r2")), "reserved")
      assert.strictEqual(yield* quota.reserve(both("r3")), "exceeded", "the second limit is reached")
      assert.strictEqual(yield* quota.reserve(reservation(["r3"], { [otherDay]: 1, [month]: 4 })), "reserved")
      assert.strictEqual(yield* quota.reserve(both("r1")), "reserved")
      assert.strictEqual(yield* quota.reserve(reservation(["r4", "r5"], { [otherDay]: 9, [month]: 4 })), "exceeded")
      assert.strictEqual(yield* reserve(4, "r4"), "reserved", "nothing was held under the first limit")
      assert.strictEqual(yield* quota.reserve(reservation(["r5"], { [otherDay]: 2 })), "reserved", "nor the other")
    })

    test("gives a released unit back to every limit", function* () {
      const quota = yield* Quota
      const both = (id: string) => reservation([id], { [month]: 1, [day]: 1 })
      yield* quota.reserve(both("r1"))
      assert.strictEqual(yield* quota.reserve(reservation(["r2"], { [day]: 1 })), "exceeded")
      yield* quota.release(both("r1"))
      assert.strictEqual(yield* quota.reserve(reservation(["r2"], { [day]: 1 })), "reserved")
      assert.strictEqual(yield* quota.reserve(both("r3")), "exceeded")
      assert.strictEqual(yield* reserve(1, "r3"), "reserved")
    })

    test("counts a charge in the sets that count it, and a new period from its beginning", function* () {
      const quota = yield* Quota
      const both = (id: string, today: string) => reservation([id], { [month]: 2, [today]: 1 })
      yield* quota.reserve(both("r1", day))
      yield* project(charge("r1"))
      assert.strictEqual(yield* quota.reserve(reservation(["r2"], { [day]: 1 })), "exceeded", "held under one limit")
      yield* project(chargeIn(day, "r1"))
      assert.strictEqual(yield* quota.reserve(both("r2", day)), "exceeded")
      assert.strictEqual(yield* quota.reserve(both("r2", otherDay)), "reserved")
      assert.strictEqual(yield* quota.reserve(both("r3", "day:b1:2026-11-03")), "exceeded")
      assert.deepStrictEqual(yield* quota.usage([month, day, otherDay, "unknown"]), [1, 1, 0, 0])
    })

    test("confirms units that are held or charged", function* () {
      const quota = yield* Quota
      yield* reserve(2, "r1")
      yield* quota.confirm(reservation(["r1"]))
      yield* project(charge("r1"), at(1))
      yield* quota.confirm(reservation(["r1"]))
    })

    it.effect("decides nothing before the charges in the log are counted", () =>
      withEngine(Effect.gen(function* () {
        const log = yield* EventStore
        const { position } = yield* log.append("slip-1", "no-stream", [event])
        yield* withQuota(Effect.gen(function* () {
          const early = yield* Effect.forkChild(Effect.flip(reserve(1, "r2")))
          yield* untilDone(early)
          assert.propertyVal(yield* Fiber.join(early), "reason", "not-ready")

          const patient = yield* Effect.forkChild(reserve(1, "r2"))
          yield* Effect.yieldNow
          yield* project(charge("r1"), position)
          yield* untilDone(patient)
          assert.strictEqual(yield* Fiber.join(patient), "exceeded")
        }))
      })))

    it.effect("decides nothing while the model is rebuilt", () =>
      withEngine(withQuota(Effect.gen(function* () {
        const models = yield* ReadModels
        yield* (yield* EventStore).append("slip-1", "no-stream", [event, { ...event, id: randomUUID() }])
        yield* project(charge("r1"), at(1))
        yield* project(charge("r2"), at(2))
        yield* models.clear(model, at(2))
        yield* project(charge("r1"), at(1))
        const early = yield* Effect.forkChild(Effect.flip(reserve(2, "r3")))
        yield* untilDone(early)
        assert.propertyVal(yield* Fiber.join(early), "reason", "not-ready")
        yield* project(charge("r2"), at(2))
        assert.strictEqual(yield* reserve(2, "r3"), "exceeded")
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
            if (kind === "reserve") {
              const answer = yield* reserve(2, id)
              assert.strictEqual(answer, unit !== undefined || units.size < 2 ? "reserved" : "exceeded")
              if (answer === "reserved" && unit === undefined) units.set(id, "open")
            } else if (kind === "release") {
              yield* quota.release(reservation([id]))
              if (unit === "open") units.delete(id)
            } else if (kind === "count" && unit !== undefined) {
              yield* project(charge(id))
              units.set(id, "counted")
            } else if (kind === "take back" && unit === "counted") {
              yield* project([takeBack(id)])
              units.delete(id)
            }
            const used = [...units.values()].filter((state) => state === "counted").length
            assert.deepStrictEqual(yield* quota.usage([month]), [used])
          }
        }))),
      { arbitrary: { runs: runs(30), size: 40 } }
    )
  })
}

/** The model, and sets that count its charges. */
const model = "quota.v1"
const [month, day, otherDay] = ["month:b1:2026-11", "day:b1:2026-11-01", "day:b1:2026-11-02"] as const

/** Units under the limits of some sets. */
const reservation = (
  reservationIds: ReadonlyArray<string>,
  limits: Readonly<Record<string, number>> = { [month]: 1 }
): Reservation => ({ limits: Object.entries(limits).map(([set, limit]) => ({ set, limit })), reservationIds })

/** Reserves units under a limit of the month. */
const reserve = (limit: number, ...ids: ReadonlyArray<string>) =>
  Quota.use((quota) => quota.reserve(reservation(ids, { [month]: limit })))

const at = (place: number | bigint): Position => ({ commit: BigInt(place), prepare: BigInt(place) })

const chargeIn = (set: string, ...members: ReadonlyArray<string>) =>
  members.map((member): Write => ({ _tag: "AddMember", set, member, score: 1 }))

const charge = (...ids: ReadonlyArray<string>) => chargeIn(month, ...ids)

const takeBack = (member: string): Write => ({ _tag: "RemoveMember", set: month, member })

/** Applies the next batch of the model, up to the next position or a given one, as the projector does. */
const project = (writes: ReadonlyArray<Write>, upTo?: Position) =>
  Effect.gen(function* () {
    const models = yield* ReadModels
    let current = beginning
    let goal = beginning
    do {
      const after = yield* models.checkpoint(model)
      goal = upTo ?? at(after.commit + 1n)
      current = yield* models.apply(model, { after, upTo: goal, writes })
    } while (current.commit !== goal.commit)
  })

const event = someEvent("0b4d3c1e-6f5a-5d7c-8e9f-000000000001", "SlipVerified")

const Step = Schema.Struct({
  kind: Schema.Literals(["reserve", "reserve", "release", "count", "take back"]),
  id: Schema.Literals(["r1", "r2", "r3", "r4"])
})
