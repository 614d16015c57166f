import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makePool, type PoolOptions } from "../../../infrastructure/images/pool.ts"

/** Works with `pool-worker.ts`, whose answers say which thread gave them. */
const pool = (options: Partial<PoolOptions<string>> = {}) =>
  makePool<string, string>({
    script: new URL("./pool-worker.ts", import.meta.url),
    role: "test",
    size: 1,
    maxWaiting: 1,
    deadlineMillis: 5_000,
    idleMillis: 30_000,
    heapMiB: 64,
    wearsOut: (input) => input === "wear",
    ...options
  })

describe("the pool of workers", () => {
  it.effect("keeps a worker for the next input", () =>
    Effect.gen(function* () {
      const { run } = yield* pool()
      const first = yield* run("who", [])
      assert.strictEqual(yield* run("who", []), first)
    }))

  it.effect("ends a worker that never yields when its time is over, and starts another", () =>
    Effect.gen(function* () {
      const { run } = yield* pool()
      const before = yield* run("who", [])
      const stuck = yield* Effect.forkChild(Effect.flip(run("spin", [])), { startImmediately: true })
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Fiber.join(stuck)).reason, "deadline")
      assert.notStrictEqual(yield* run("who", []), before)
    }))

  it.effect("loses only the input that a worker dies of", () =>
    Effect.gen(function* () {
      const { run } = yield* pool()
      for (const death of ["throw", "reject", "exit"]) {
        assert.strictEqual((yield* Effect.flip(run(death, []))).reason, "crashed", death)
        assert.isString(yield* run("who", []))
      }
    }))

  it.effect("says that a worker could not start", () =>
    Effect.gen(function* () {
      const { run } = yield* pool({ script: new URL("./no-such-worker.ts", import.meta.url) })
      assert.strictEqual((yield* Effect.flip(run("who", []))).reason, "crashed")
    }))

  it.effect("ends a worker that has been idle for long", () =>
    Effect.gen(function* () {
      const { run } = yield* pool()
      const before = yield* run("who", [])
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual(yield* run("who", []), before)
      yield* TestClock.adjust("30 seconds")
      assert.notStrictEqual(yield* run("who", []), before)
    }))

  it.effect("ends a worker behind an input that wears it out", () =>
    Effect.gen(function* () {
      const { run } = yield* pool()
      const before = yield* run("wear", [])
      assert.notStrictEqual(yield* run("who", []), before)
    }))

  it.effect("is not misled by an answer to another question", () =>
    Effect.gen(function* () {
      const { run } = yield* pool()
      yield* run("echo twice", [])
      assert.match(yield* run("who", []), /^thread/u)
    }))

  it.effect("gives a place in the queue to the next one when who waited gives up", () =>
    Effect.gen(function* () {
      const { run } = yield* pool({ maxWaiting: 1 })
      const stuck = yield* Effect.forkChild(run("spin", []), { startImmediately: true })
      const waiting = yield* Effect.forkChild(run("who", []), { startImmediately: true })
      assert.strictEqual((yield* Effect.flip(run("who", []))).reason, "busy")
      yield* Fiber.interrupt(waiting)
      const next = yield* Effect.forkChild(run("who", []), { startImmediately: true })
      yield* Fiber.interrupt(stuck)
      assert.match(yield* Fiber.join(next), /^thread/u)
    }))

  it.effect("does not end a thread while native code works for it", () =>
    Effect.gen(function* () {
      const flag = new Int32Array(new SharedArrayBuffer(8))
      const { run } = yield* makePool<Int32Array, string>({
        script: new URL("./pool-native-worker.ts", import.meta.url),
        role: "test",
        size: 1,
        maxWaiting: 0,
        deadlineMillis: 5_000,
        idleMillis: 30_000,
        heapMiB: 64,
        wearsOut: () => false
      })
      const reading = yield* Effect.forkChild(run(flag, []), { startImmediately: true })
      yield* Effect.promise(() => reached(flag, 0))
      yield* Fiber.interrupt(reading)
      // The native call ends only now, long after the thread was to end, and is seen to end.
      Atomics.store(flag, 1, 1)
      yield* Effect.promise(() => reached(flag, 0, 2))
    }))
})

/** Resolves when a cell has reached a value that another thread puts into it. */
const reached = async (cells: Int32Array, at: number, value = 1): Promise<void> => {
  while (Atomics.load(cells, at) < value) await new Promise(setImmediate)
}
