import { Effect, Queue } from "effect"
import { Worker } from "node:worker_threads"
import { attempt, told } from "./failure.ts"
import { writeText } from "./files.ts"
import type { FromLog, LogTask } from "./log-messages.ts"

const spawn = (task: LogTask, said: Queue.Enqueue<FromLog>) => {
  const worker = new Worker(new URL("./log-worker.ts", import.meta.url), { workerData: task, name: "log-backup" })
  const fail = (message: string): void => void Queue.offerUnsafe(said, { _tag: "Failed", message })
  worker.on("message", (message: FromLog) => void Queue.offerUnsafe(said, message))
  worker.on("error", (cause: unknown) => fail(cause instanceof Error ? cause.message : String(cause)))
  worker.on("exit", (code) => fail(`the thread ended with ${code}`))
  return worker
}

/** Has a thread work on a log, which is told to stop when nobody waits for it any more. */
const work = Effect.fnUntraced(function* (task: LogTask, onPages: (done: number, of: number) => Effect.Effect<void>) {
  const said = yield* Queue.unbounded<FromLog>()
  yield* Effect.acquireRelease(
    Effect.sync(() => spawn(task, said)),
    // Not waited for: it ends once SQLite lets go, and nothing depends on it.
    (worker) => Effect.sync(() => void worker.terminate())
  )
  while (true) {
    const message = yield* Queue.take(said)
    if (message._tag !== "Copying") return message
    yield* onPages(message.donePages, message.pages)
  }
}, Effect.scoped)

/**
 * Copies a log as it is at one moment to a new file, also while a service appends to it, and tells what it holds. The
 * copy is on the disk when this returns, and in need of nothing beside it.
 */
export const copyLog = Effect.fnUntraced(function* (
  from: string,
  to: string,
  onPages: (done: number, of: number) => Effect.Effect<void>
) {
  const what = `${from} cannot be copied to ${to}`
  // Made before SQLite would make it, so that nobody else may read it.
  yield* attempt(what, (signal) => writeText(to, "", signal))
  const answer = yield* work({ _tag: "Copy", from, to }, onPages)
  if (answer._tag === "Copied") return answer.contents
  return yield* told(what, answer._tag === "Failed" ? answer.message : answer)
})

/** Reads a log from its first to its last page. Gives what it holds, or words for why it is not sound. */
export const examineLog = (file: string) =>
  Effect.map(work({ _tag: "Examine", file }, () => Effect.void), (answer) => {
    if (answer._tag === "Examined") return { contents: answer.contents, faults: answer.faults }
    return { contents: undefined, faults: [answer._tag === "Failed" ? answer.message : answer._tag] }
  })
