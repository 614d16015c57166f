import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import type { Position } from "../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { ReadModels, ReadModelsError } from "../../../ports/read-models.ts"
import { Readiness } from "../../../projections/engine/readiness.ts"

const at = (commit: bigint): Position => ({ commit, prepare: commit })

/** A log that ended at 7 when the process started, and a model that is, and was seen, as far as the test says. */
const given = Effect.gen(function* () {
  const how = { head: at(7n), checkpoint: 0n, seen: 0n, waits: [] as Array<number> }
  const behind = (operation: string) => Effect.fail(new ReadModelsError({ operation, reason: "behind" }))
  const readiness = Context.get(
    yield* Layer.build(Readiness.layer.pipe(Layer.provide(Layer.mergeAll(
      Layer.mock(EventStore, { head: Effect.sync(() => how.head) }),
      Layer.mock(ReadModels, {
        awaitPosition: (_, position, timeoutMillis) =>
          Effect.suspend(() => {
            how.waits.push(timeoutMillis)
            return how.checkpoint >= position.commit ? Effect.void : behind("awaitPosition")
          }),
        count: () => Effect.suspend(() => how.checkpoint >= how.seen ? Effect.succeed(0) : behind("count"))
      })
    )))),
    Readiness
  )
  return { how, readiness }
})

describe("readiness", () => {
  it.effect("is false while a model is behind the head of the log at the start", () =>
    Effect.gen(function* () {
      const { how, readiness } = yield* given
      how.checkpoint = 6n
      assert.strictEqual((yield* Effect.flip(readiness.of("m"))).reason, "behind")
      assert.isFalse(yield* readiness.isReady("m"))
      assert.deepStrictEqual(how.waits, [2_000, 0], "a request waits briefly, a probe does not")
    }))

  it.effect("stays true without another read, for any later events", () =>
    Effect.gen(function* () {
      const { how, readiness } = yield* given
      how.checkpoint = 7n
      how.head = at(100n)
      yield* readiness.of("m")
      how.checkpoint = 0n
      yield* readiness.of("m")
      assert.lengthOf(how.waits, 1)
    }))

  it.effect("is read again by every probe, and follows the state of the model", () =>
    Effect.gen(function* () {
      const { how, readiness } = yield* given
      how.checkpoint = 7n
      assert.isTrue(yield* readiness.isReady("m"))
      yield* readiness.of("m")
      assert.lengthOf(how.waits, 1, "a probe that finds it spares the requests")
      how.checkpoint = 0n
      assert.isFalse(yield* readiness.isReady("m"))
      how.checkpoint = 7n
      assert.isTrue(yield* readiness.isReady("m"))
    }))

  it.effect("is false while a lost model is below its high-water mark, also after the start position", () =>
    Effect.gen(function* () {
      const { how, readiness } = yield* given
      how.checkpoint = how.seen = 1_000n
      assert.isTrue(yield* readiness.isReady("m"))
      how.checkpoint = 500n
      assert.isFalse(yield* readiness.isReady("m"))
      how.checkpoint = 1_000n
      assert.isTrue(yield* readiness.isReady("m"))
    }))

  it.effect("is separate for each model", () =>
    Effect.gen(function* () {
      const { how, readiness } = yield* given
      how.checkpoint = 7n
      yield* readiness.of("m")
      how.checkpoint = 0n
      assert.isFalse(yield* readiness.isReady("other"))
    }))

  it.effect("is found by many concurrent callers", () =>
    Effect.gen(function* () {
      const { how, readiness } = yield* given
      how.checkpoint = 7n
      const fibers = yield* Effect.forEach(Array(10).fill("m"), () => Effect.forkChild(readiness.of("m")))
      yield* Effect.forEach(fibers, Fiber.join)
      assert.isTrue(yield* readiness.isReady("m"))
    }))
})
