import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { makeFairSlots } from "../../infrastructure/fair-slots.ts"

/** Work that takes a slot of a lane, records its start, and ends when the test says so. */
const given = (limits: { readonly total: number; readonly perLane: number }) => {
  const slots = makeFairSlots(limits)
  const started: Array<string> = []
  const begin = Effect.fnUntraced(function* (lane: string, name = lane) {
    const end = yield* Deferred.make<void>()
    const work = Effect.scoped(Effect.gen(function* () {
      yield* slots.acquire(lane)
      started.push(name)
      yield* Deferred.await(end)
    }))
    const fiber = yield* Effect.forkChild(work, { startImmediately: true })
    const finish = Effect.andThen(Deferred.succeed(end, undefined), Fiber.await(fiber))
    return { fiber, finish }
  })
  return { slots, started, begin }
}

describe("fair slots", () => {
  it.effect("limit the work of a lane, and the work of all lanes together", () =>
    Effect.gen(function* () {
      const { begin, started } = given({ total: 3, perLane: 2 })

      for (const lane of ["a", "a", "a", "b", "b"]) yield* begin(lane)

      assert.deepStrictEqual(started, ["a", "a", "b"])
    }))

  it.effect("give a free slot to the waiting lane that was served longest ago", () =>
    Effect.gen(function* () {
      const { begin, started } = given({ total: 1, perLane: 1 })
      const first = yield* begin("a", "a1")
      const waiting = []
      for (const [lane, name] of [["a", "a2"], ["a", "a3"], ["b", "b1"], ["c", "c1"]] as const) {
        waiting.push(yield* begin(lane, name))
      }

      yield* first.finish
      for (const index of [0, 2, 3]) yield* waiting[index]?.finish ?? Effect.void

      assert.deepStrictEqual(started, ["a1", "a2", "b1", "c1", "a3"])
    }))

  it.effect("go past a lane that is at its own limit", () =>
    Effect.gen(function* () {
      const { begin, started } = given({ total: 2, perLane: 1 })
      yield* begin("a", "a1")
      const second = yield* begin("b", "b1")
      yield* begin("a", "a2")
      yield* begin("c", "c1")

      yield* second.finish

      assert.deepStrictEqual(started, ["a1", "b1", "c1"])
    }))

  it.effect("take back the slot or the place of interrupted work", () =>
    Effect.gen(function* () {
      const { begin, started } = given({ total: 1, perLane: 1 })
      const first = yield* begin("a", "a1")
      const second = yield* begin("b", "b1")
      yield* begin("c", "c1")

      yield* Fiber.interrupt(second.fiber)
      yield* Fiber.interrupt(first.fiber)

      assert.deepStrictEqual(started, ["a1", "c1"])
    }))

  it.effect("are released when the work fails", () =>
    Effect.gen(function* () {
      const { begin, slots, started } = given({ total: 1, perLane: 1 })

      const exit = yield* Effect.exit(Effect.scoped(Effect.andThen(slots.acquire("a"), Effect.fail("broken"))))
      yield* begin("b")

      assert.isTrue(Exit.isFailure(exit))
      assert.deepStrictEqual(started, ["b"])
    }))
})
