import { assert, describe, it } from "../../../../../support/it.ts"
import { Effect, Exit, Fiber, Schedule } from "effect"
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import {
  makeDurableHead,
  openWriter,
  type StartLogWriter,
  startLogWriter
} from "../../../../../../infrastructure/adapters/stores/sqlite/events/writer.ts"
import { startThread } from "../../../../../../infrastructure/platform/threads/start-thread.ts"
import { newEvent, newEvents } from "../../../../../contracts/event-store-events.ts"
import { tempLog } from "./temp-folder.ts"

/** A writer thread that opens no log and crashes at the first append. */
const startDyingThread: StartLogWriter = () =>
  startThread({
    script: new URL(`data:text/javascript,${
      encodeURIComponent(
        `import { parentPort } from "node:worker_threads"
         parentPort.on("message", () => { throw new Error("out of luck") })
         parentPort.postMessage({ _tag: "Ready", ready: 0 })`
      )
    }`),
    name: "dying",
    data: undefined
  })

/** A writer thread whose disk is full for two batches, after `free` of them. An empty batch is a test of the disk. */
const startThreadOnFullDisk = (free: number): StartLogWriter => () =>
  startThread({
    script: new URL(`data:text/javascript,${
      encodeURIComponent(
        `import { parentPort } from "node:worker_threads"
         let batches = 0
         parentPort.on("message", ({ _tag, key, question }) => {
           if (_tag === "Close") return parentPort.postMessage({ _tag: "Closed" })
           const n = batches++ - ${free}
           if (n === 0 || n === 1) return parentPort.postMessage({ _tag: "Failed", key, message: "database or disk is full" })
           const outcomes = question.map((_, index) => ["appended", 0, index + 1])
           parentPort.postMessage({ _tag: "Answered", key, answer: { outcomes, head: outcomes.length } })
         })
         parentPort.postMessage({ _tag: "Ready", ready: 0 })`
      )
    }`),
    name: "full-disk",
    data: undefined
  })

/** A log and its writer. Each function starts one of its threads; later threads are real ones. */
const given = Effect.fnUntraced(function* (...starts: ReadonlyArray<StartLogWriter>) {
  const file = yield* tempLog
  mkdirSync(dirname(file))
  const head = makeDurableHead()
  let started = 0
  const writer = yield* openWriter(file, head, undefined, (path) => (starts[started++] ?? startLogWriter)(path))
  return { head, writer, started: () => started }
})

/** Repeats an effect until it succeeds or the test times out. */
const retryUntilSuccess = <A, E>(effect: Effect.Effect<A, E>) => Effect.retry(effect, Schedule.spaced("5 millis"))

describe("the writer thread of the embedded event log", () => {
  it.live("can't be written from the first failed batch until a test of the disk succeeds, without an append", function* () {
    const { writer } = yield* given(startThreadOnFullDisk(1))
    yield* writer.writable
    const full = { _tag: "EventStoreError", operation: "append", reason: "disk-full" } as const
    assert.deepInclude({ ...(yield* Effect.flip(writer.append("a", "no-stream", newEvents(1)))) }, full)
    assert.deepInclude({ ...(yield* Effect.flip(writer.writable)) }, full)
    yield* writer.writable
    yield* writer.append("a", "no-stream", newEvents(1))
    yield* writer.writable
  })

  it.live("is tested before the first append", function* () {
    const { writer } = yield* given(startThreadOnFullDisk(0))
    const full = { _tag: "EventStoreError", operation: "append", reason: "disk-full" } as const
    for (const _ of [1, 2]) assert.deepInclude({ ...(yield* Effect.flip(writer.writable)) }, full)
    yield* writer.writable
  })

  it.live("fails the pending appends when it dies, and a new thread handles the next append", function* () {
    const { head, started, writer } = yield* given(startDyingThread)
    const events = newEvents(1)
    const errors = yield* Effect.all({
      one: Effect.flip(writer.append("a", "no-stream", events)),
      other: Effect.flip(writer.append("b", "no-stream", newEvents(1)))
    }, { concurrency: "unbounded" })
    for (const error of [errors.one, errors.other]) {
      assert.deepInclude({ ...error }, { _tag: "EventStoreError", operation: "append", reason: "unavailable" })
      assert.include(String("cause" in error && error.cause), "out of luck")
    }
    yield* retryUntilSuccess(
      Effect.sync(() => assert.strictEqual(started(), 2)).pipe(Effect.catchDefect(Effect.fail))
    )
    // The outcome of the first append is unknown, so the caller retries with the same ids.
    const { revision } = yield* retryUntilSuccess(writer.append("a", "no-stream", events))
    assert.strictEqual(revision, 0)
    assert.strictEqual(head.get(), 1)
    assert.strictEqual(started(), 2)
  })

  it.live("is started by the next append when it could not be restarted", function* () {
    const startOnFolder: StartLogWriter = (path) => startLogWriter(dirname(path))
    const { started, writer } = yield* given(startDyingThread, startOnFolder)
    yield* Effect.flip(writer.append("a", "no-stream", newEvents(1)))
    const error = yield* Effect.flip(writer.append("a", "no-stream", newEvents(1)))
    assert.deepInclude({ ...error }, { _tag: "EventStoreError", reason: "unavailable" })
    yield* retryUntilSuccess(writer.append("a", "no-stream", newEvents(1)))
    assert.strictEqual(started(), 3)
  })

  it.live("is settled when all appends that began before have ended, and the head covers them", function* () {
    const { head, writer } = yield* given()
    yield* writer.settled
    const names = Array.from({ length: 1_000 }, (_, index) => `s${index}`)
    const appends = Effect.forEach(names, (name) => writer.append(name, "no-stream", newEvents(1)), {
      concurrency: "unbounded"
    })
    const fiber = yield* Effect.forkChild(appends, { startImmediately: true })
    assert.strictEqual(head.get(), 0)
    yield* writer.settled
    assert.strictEqual(head.get(), names.length)
    yield* Fiber.join(fiber)
  })

  it.live("is not settled when it dies before: the log may hold its appends", function* () {
    const { writer } = yield* given(startDyingThread)
    const fiber = yield* Effect.forkChild(Effect.flip(writer.append("a", "no-stream", newEvents(1))), {
      startImmediately: true
    })
    const error = yield* Effect.flip(writer.settled)
    assert.deepInclude({ ...error }, { _tag: "EventStoreError", operation: "append", reason: "unavailable" })
    yield* Fiber.join(fiber)
    yield* retryUntilSuccess(writer.settled)
  })

  it.live("never receives a faulty append, which is a defect of the calling code", function* () {
    const { writer } = yield* given()
    const event = newEvent()
    const faulty = [
      writer.append("a", "no-stream", []),
      writer.append("a", -1, newEvents(1)),
      writer.append("a", 0.5, newEvents(1)),
      writer.append("a", "no-stream", [{ ...newEvent(), id: "not-a-uuid" }]),
      writer.append("a", "no-stream", [event, event])
    ]
    for (const append of faulty) assert.isTrue(Exit.hasDies(yield* Effect.exit(append)))
    assert.strictEqual((yield* writer.append("a", "no-stream", newEvents(1))).revision, 0)
  })
})
