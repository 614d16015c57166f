import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { getPriority } from "node:os"
import { join } from "node:path"
import { startThread, type Thread } from "../../../../infrastructure/platform/threads/start-thread.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"
import type { Task } from "./echo-thread.ts"

type EchoThread = Thread<string, Task, string, number>

/** A thread on a file that does not exist yet; terminated at the end of the test. */
const given = Effect.gen(function* () {
  const file = join(yield* temporaryFolder, "state")
  return { file, thread: yield* start(file) }
})

const start = (file: string) =>
  Effect.acquireRelease(
    Effect.sync((): EchoThread =>
      startThread({ script: new URL("./echo-thread.ts", import.meta.url), name: "echo", data: file })
    ),
    (thread) => Effect.promise(() => thread.terminate())
  )

const ask = (thread: EchoThread, task: Task) =>
  Effect.callback<string | Error>((resume) => thread.ask(task, (outcome) => resume(Effect.succeed(outcome))))

const messageOf = (outcome: string | Error): string => outcome instanceof Error ? outcome.message : outcome

describe("a worker thread", () => {
  it.live("receives its data, and answers questions that were asked before it was ready", () =>
    Effect.gen(function* () {
      const { file, thread } = yield* given
      const answers = yield* Effect.all([ask(thread, "echo"), ask(thread, "echo")], { concurrency: "unbounded" })
      assert.deepStrictEqual(answers, ["echo", "echo"])
      assert.strictEqual(yield* Effect.promise(() => thread.ready), file)
    }))

  it.live("fails one question and answers the next", () =>
    Effect.gen(function* () {
      const { thread } = yield* given
      assert.strictEqual(messageOf(yield* ask(thread, "fail")), "refused")
      assert.strictEqual(yield* ask(thread, "echo"), "echo")
    }))

  it.live("reports progress before the answer", () =>
    Effect.gen(function* () {
      const { thread } = yield* given
      const steps: Array<number> = []
      yield* Effect.callback<void>((resume) =>
        thread.ask("report", () => resume(Effect.void), { onProgress: (step) => void steps.push(step) })
      )
      assert.deepStrictEqual(steps, [1, 2])
    }))

  it.live.runIf(process.platform === "linux")(
    "can run with a lower priority than the thread that started it",
    () =>
      Effect.gen(function* () {
        const { thread } = yield* given
        const priority = Number(messageOf(yield* ask(thread, "priority")))
        assert.isAbove(priority, getPriority(process.pid))
      })
  )

  it.live("fails every pending and later question with the error that it died of", () =>
    Effect.gen(function* () {
      const { thread } = yield* given
      const outcomes = yield* Effect.all([ask(thread, "crash"), ask(thread, "crash")], { concurrency: "unbounded" })
      for (const outcome of outcomes) assert.include(messageOf(outcome), "the thread echo crashed: out of luck")
      assert.include((yield* Effect.promise(() => thread.ended)).message, "out of luck")
      assert.include(messageOf(yield* ask(thread, "echo")), "out of luck")
    }))

  it.live("rejects `ready` when it can't open", () =>
    Effect.gen(function* () {
      const thread = yield* start("broken")
      const error = yield* Effect.flip(Effect.tryPromise({ try: () => thread.ready, catch: String }))
      assert.strictEqual(error, "Error: the file is broken")
      assert.strictEqual(messageOf(yield* ask(thread, "echo")), "the file is broken")
    }))

  it.live("answers every question and closes before it ends", () =>
    Effect.gen(function* () {
      const { file, thread } = yield* given
      const outcomes: Array<string | Error> = []
      for (const task of ["echo", "fail", "echo"] as const) thread.ask(task, (outcome) => outcomes.push(outcome))
      yield* Effect.promise(() => thread.close())
      assert.deepStrictEqual(outcomes.map(messageOf), ["echo", "refused", "echo"])
      assert.strictEqual(readFileSync(file, "utf8"), "closed")
    }))

  it.live("fails pending questions at once when it is abandoned, and closes afterwards", () =>
    Effect.gen(function* () {
      const { file, thread } = yield* given
      yield* Effect.promise(() => thread.ready)
      const pending = yield* Effect.forkChild(ask(thread, "echo"), { startImmediately: true })
      thread.abandon()
      assert.isDefined(thread.failure())
      assert.include(messageOf(yield* Fiber.join(pending)), "abandoned")
      yield* Effect.promise(() => thread.ended)
      assert.strictEqual(readFileSync(file, "utf8"), "closed")
    }))

  it.live("can be terminated in the middle of a question that never ends", () =>
    Effect.gen(function* () {
      const { file, thread } = yield* given
      yield* Effect.promise(() => thread.ready)
      const pending = yield* Effect.forkChild(ask(thread, "hang"), { startImmediately: true })
      yield* Effect.promise(() => thread.terminate())
      assert.include(messageOf(yield* Fiber.join(pending)), "terminated")
      assert.isFalse(existsSync(file))
    }))
})
