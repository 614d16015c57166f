import { assert, describe, it } from "../../../support/it.ts"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import {
  makeWorkerPool,
  type PoolOptions,
  type StoppedWorker
} from "../../../../infrastructure/adapters/pictures/worker-pool.ts"

const defaults = {
  role: "test",
  deadlineMillis: 5_000,
  idleMillis: 30_000,
  most: 4,
  heapMiB: 64
}

/** A pool whose workers answer with the number of their thread. */
const pool = (options: Partial<PoolOptions<string, string>> = {}) =>
  makeWorkerPool<string, string>({
    ...defaults,
    script: new URL("./worker-pool-thread.ts", import.meta.url),
    stopsAfter: (input) => input === "large",
    ...options
  })

describe("the worker pool", () => {
  it.effect("reuses a worker for the next input", function* () {
    const { run } = yield* pool()
    const first = yield* run("thread", [])
    assert.strictEqual(yield* run("thread", []), first)
  })

  it.effect("stops a worker that exceeds the deadline and starts a new one", function* () {
    const { run } = yield* pool()
    const before = yield* run("thread", [])
    const stuck = yield* Effect.forkChild(Effect.flip(run("spin", [])), { startImmediately: true })
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual((yield* Fiber.join(stuck)).reason, "deadline")
    assert.notStrictEqual(yield* run("thread", []), before)
  })

  it.effect("fails only the input on which a worker dies", function* () {
    const { run } = yield* pool()
    for (const failure of ["throw", "reject", "exit"]) {
      assert.strictEqual((yield* Effect.flip(run(failure, []))).reason, "crashed", failure)
      assert.isString(yield* run("thread", []))
    }
  })

  it.effect("reports a worker that cannot start", function* () {
    const { run } = yield* pool({ script: new URL("../../pictures/no-such-worker.ts", import.meta.url) })
    assert.strictEqual((yield* Effect.flip(run("thread", []))).reason, "crashed")
  })

  it.effect("stops a worker that is idle for 30 seconds", function* () {
    const { run } = yield* pool()
    const before = yield* run("thread", [])
    yield* TestClock.adjust("29 seconds")
    assert.strictEqual(yield* run("thread", []), before)
    yield* TestClock.adjust("30 seconds")
    assert.notStrictEqual(yield* run("thread", []), before)
  })

  it.effect("stops a worker after a large input", function* () {
    const { run } = yield* pool()
    const before = yield* run("large", [])
    assert.notStrictEqual(yield* run("thread", []), before)
  })

  it.effect("terminates a thread only after its native call has ended", function* () {
    const cells = new Int32Array(new SharedArrayBuffer(8))
    const { run } = yield* makeWorkerPool<Int32Array, string>({
      ...defaults,
      script: new URL("./worker-pool-native-thread.ts", import.meta.url),
      stopsAfter: () => false
    })
    const stopped: Array<StoppedWorker> = []
    const running = run(cells, [], (worker) => stopped.push(worker))
    const reading = yield* Effect.forkChild(running, { startImmediately: true })
    yield* Effect.promise(() => reaches(cells, 1))
    yield* TestClock.adjust("3 seconds")
    yield* Fiber.interrupt(reading)
    assert.deepStrictEqual(stopped.map(({ tookMillis }) => tookMillis), [3_000])
    // The pool has stopped the thread. The native call ends now, and the thread still reports its end.
    Atomics.store(cells, 1, 1)
    yield* Effect.promise(() => reaches(cells, 2))
    yield* Effect.promise(() => stopped[0]?.delayedEnd ?? assert.fail("the native call delays the end"))
  })

  it.effect("reports a stopped worker, and no delay of its end outside of native code", function* () {
    const { run } = yield* pool()
    const stopped: Array<StoppedWorker> = []
    const stuck = run("spin", [], (worker) => stopped.push(worker))
    const waiting = yield* Effect.forkChild(Effect.flip(stuck), { startImmediately: true })
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual((yield* Fiber.join(waiting)).reason, "deadline")
    yield* run("thread", [], (worker) => stopped.push(worker))
    assert.deepStrictEqual(stopped, [{ tookMillis: 5_000, delayedEnd: undefined }])
  })

  it.effect("starts no further thread while stopped ones run native code, and continues when one has ended", function* () {
    const cells = () => new Int32Array(new SharedArrayBuffer(8))
    const [first, second, third] = [cells(), cells(), cells()]
    const { run } = yield* makeWorkerPool<Int32Array, string>({
      ...defaults,
      most: 1,
      script: new URL("./worker-pool-native-thread.ts", import.meta.url),
      stopsAfter: () => true
    })
    const reading = yield* Effect.forkChild(run(first, []), { startImmediately: true })
    yield* Effect.promise(() => reaches(first, 1))
    yield* Fiber.interrupt(reading)

    const waiting = yield* Effect.forkChild(Effect.flip(run(second, [])), { startImmediately: true })
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual((yield* Fiber.join(waiting)).reason, "deadline")
    assert.strictEqual(Atomics.load(second, 0), 0)

    const next = yield* Effect.forkChild(run(third, []), { startImmediately: true })
    Atomics.store(first, 1, 1)
    yield* Effect.promise(() => reaches(third, 1))
    Atomics.store(third, 1, 1)
    yield* Fiber.join(next)
  })
})

/** Resolves when another thread has raised cell 0 to a value. */
const reaches = async (cells: Int32Array, value: number): Promise<void> => {
  while (Atomics.load(cells, 0) < value) await new Promise(setImmediate)
}
