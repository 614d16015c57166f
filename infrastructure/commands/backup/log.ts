import { Effect, Queue } from "effect"
import { startThread, type Thread } from "../../platform/threads/start-thread.ts"
import { attempt, toBackupError } from "./errors.ts"
import { writeText } from "./files.ts"
import type { LogReport, LogTask, PagesCopied } from "./log-thread.ts"

type OnPages = (done: number, total: number) => Effect.Effect<void>

/** Runs a task in a thread, which is terminated when the caller is interrupted. Returns the error when the task fails. */
const runTask = Effect.fnUntraced(function* (task: LogTask, onPages: OnPages) {
  const messages = yield* Queue.unbounded<PagesCopied | { readonly outcome: LogReport | Error }>()
  const thread = yield* Effect.acquireRelease(
    Effect.sync((): Thread<undefined, LogTask, LogReport, PagesCopied> =>
      startThread({ script: new URL("./log-thread.ts", import.meta.url), name: "log-backup", data: undefined })
    ),
    // Not awaited: the thread ends once SQLite returns, and nothing depends on it.
    (thread) => Effect.sync(() => void thread.terminate())
  )
  thread.ask(task, (outcome) => void Queue.offerUnsafe(messages, { outcome }), {
    onProgress: (pages) => void Queue.offerUnsafe(messages, pages)
  })
  while (true) {
    const message = yield* Queue.take(messages)
    if ("outcome" in message) return message.outcome
    yield* onPages(message.done, message.total)
  }
}, Effect.scoped)

/**
 * Copies a log, as it is at one moment, to a new file, also while a service appends to it. Returns the contents of
 * the copy. The copy is on the disk when this returns, and needs no other file.
 */
export const copyLog = Effect.fnUntraced(function* (from: string, to: string, onPages: OnPages) {
  const prefix = `${from} cannot be copied to ${to}`
  // Created here with mode 0600, because SQLite would create a file that other users can read.
  yield* attempt(prefix, (signal) => writeText(to, "", signal))
  const outcome = yield* runTask({ _tag: "Copy", from, to }, onPages)
  return outcome instanceof Error ? yield* toBackupError(prefix, outcome.message) : outcome.contents
})

/** Reads a log from its first to its last page. Returns its contents and its faults. */
export const examineLog = (file: string) =>
  Effect.map(
    runTask({ _tag: "Examine", file }, () => Effect.void),
    (outcome) => outcome instanceof Error ? { contents: undefined, faults: [outcome.message] } : outcome
  )
