import { Effect } from "effect"
import { Worker } from "node:worker_threads"

/** Keeps SQLite's write-ahead log of a file short. */
export interface Checkpoints {
  /** Says that so much was written. */
  readonly wrote: (writes: number) => void
  readonly close: Effect.Effect<void>
}

/** Some megabytes of log. A file that is written little is tidied up when it is closed. */
const WRITES_BEFORE_HELP = 5_000

const start = (file: string): Worker => {
  const worker = new Worker(new URL("./checkpoint-worker.ts", import.meta.url), {
    workerData: file,
    name: "read-models-checkpoints"
  })
  // Should the thread end, the log only grows longer, until the writer steps in by itself.
  worker.on("error", () => undefined)
  worker.unref()
  return worker
}

const stop = (worker: Worker): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    worker.once("message", () => resume(Effect.void))
    worker.once("exit", () => resume(Effect.void))
    worker.postMessage("close")
  }).pipe(Effect.timeoutOption("2 seconds"), Effect.andThen(Effect.promise(() => worker.terminate())))

/**
 * Makes the checkpoints in a thread of their own, which is started once much is written: a checkpoint rewrites pages
 * and flushes them to the disk, and on the main thread every request would wait for it.
 */
export const makeCheckpoints = (file: string): Checkpoints => {
  let written = 0
  let worker: Worker | undefined
  return {
    wrote: (writes) => {
      written += writes
      if (written > WRITES_BEFORE_HELP) worker ??= start(file)
    },
    close: Effect.suspend(() => worker === undefined ? Effect.void : stop(worker))
  }
}
