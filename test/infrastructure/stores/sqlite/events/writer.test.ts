import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Schedule } from "effect"
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { Worker } from "node:worker_threads"
import { makeDurableHead } from "../../../../../infrastructure/stores/sqlite/events/durable-head.ts"
import { openWriter } from "../../../../../infrastructure/stores/sqlite/events/writer.ts"
import {
  type SpawnWorker,
  spawnWriterWorker
} from "../../../../../infrastructure/stores/sqlite/events/writer-thread.ts"
import { newEvent, newEvents } from "../../../../contracts/event-store-events.ts"
import { tempLog } from "./temp-folder.ts"

/** A writing thread that opens no log and dies of the first append. */
const spawnDyingWorker = () =>
  new Worker(
    `const { parentPort } = require("node:worker_threads")
     parentPort.on("message", () => { throw new Error("out of luck") })
     parentPort.postMessage({ _tag: "Ready", head: 0 })`,
    { eval: true }
  )

/** A log, and a writer whose threads are spawned by these, one after the other, and then for real. */
const given = Effect.fnUntraced(function* (...spawns: ReadonlyArray<SpawnWorker>) {
  const file = yield* tempLog
  mkdirSync(dirname(file))
  const head = makeDurableHead()
  let spawned = 0
  const writer = yield* openWriter(file, head, undefined, (path) => (spawns[spawned++] ?? spawnWriterWorker)(path))
  return { head, writer, spawned: () => spawned }
})

/** Again and again until it succeeds; the test's time limit ends it. */
const untilItWorks = <A, E>(effect: Effect.Effect<A, E>) => Effect.retry(effect, Schedule.spaced("5 millis"))

describe("the writing thread of the embedded event log", () => {
  it.live("fails what waits for it when it dies, and a new one takes the next append", () =>
    Effect.gen(function* () {
      const { head, spawned, writer } = yield* given(spawnDyingWorker)
      const events = newEvents(1)
      const errors = yield* Effect.all({
        one: Effect.flip(writer.append("a", "no-stream", events)),
        other: Effect.flip(writer.append("b", "no-stream", newEvents(1)))
      }, { concurrency: "unbounded" })
      for (const error of [errors.one, errors.other]) {
        assert.deepInclude({ ...error }, { _tag: "EventStoreError", operation: "append", reason: "unavailable" })
        assert.include(String("cause" in error && error.cause), "out of luck")
      }
      yield* untilItWorks(Effect.sync(() => assert.strictEqual(spawned(), 2)).pipe(Effect.catchDefect(Effect.fail)))
      // The outcome was unknown to the caller: the same ids again are right in any case.
      const { revision } = yield* untilItWorks(writer.append("a", "no-stream", events))
      assert.strictEqual(revision, 0)
      assert.strictEqual(head.get(), 1)
      assert.strictEqual(spawned(), 2)
    }))

  it.live("is tried again by the next append when it could not be started anew", () =>
    Effect.gen(function* () {
      const spawnOnFolder: SpawnWorker = (path) => spawnWriterWorker(dirname(path))
      const { spawned, writer } = yield* given(spawnDyingWorker, spawnOnFolder)
      yield* Effect.flip(writer.append("a", "no-stream", newEvents(1)))
      const error = yield* Effect.flip(writer.append("a", "no-stream", newEvents(1)))
      assert.deepInclude({ ...error }, { _tag: "EventStoreError", reason: "unavailable" })
      yield* untilItWorks(writer.append("a", "no-stream", newEvents(1)))
      assert.strictEqual(spawned(), 3)
    }))

  it.live("never hears of an append that no log could take: that is a fault in the calling code", () =>
    Effect.gen(function* () {
      const { writer } = yield* given()
      const faulty = [
        writer.append("a", "no-stream", []),
        writer.append("a", -1, newEvents(1)),
        writer.append("a", 0.5, newEvents(1)),
        writer.append("a", "no-stream", [{ ...newEvent(), id: "not-a-uuid" }])
      ]
      for (const append of faulty) assert.isTrue(Exit.hasDies(yield* Effect.exit(append)))
      assert.strictEqual((yield* writer.append("a", "no-stream", newEvents(1))).revision, 0)
    }))
})
