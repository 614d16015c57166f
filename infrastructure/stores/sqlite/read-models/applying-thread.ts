import { Effect } from "effect"
import { Worker } from "node:worker_threads"
import { makeCondition } from "../../../../projections/engine/condition.ts"
import type { Applied, FlatBatch } from "./apply-batch.ts"
import type { FromApplying, ToApplying } from "./applying-messages.ts"

/** Told what became of a batch, in a turn of the event loop of its own: what took effect, or why nothing did. */
type Done = (outcome: Applied | Error) => void

/** A thread that applies batches, once there is much to apply. */
export interface ApplyingThread {
  /** Says that so much was written; the thread is started for what is still to come. */
  readonly wrote: (writes: number) => void
  readonly isReady: () => boolean
  /** Starts it now, and waits for it. */
  readonly started: Effect.Effect<void>
  /** Only while it is ready. */
  readonly apply: (model: string, batch: FlatBatch, done: Done) => void
  /**
   * Lets it go, once its file is deleted: with the name still there it might delete what stands under it later. What it
   * has not told of fails, also if it took effect.
   */
  readonly abandon: () => void
  /** What was handed over before is applied. */
  readonly close: Effect.Effect<void>
}

/** Some megabytes. What is written less often costs nobody a wait, and needs no thread. */
const WRITES_BEFORE_HELP = 5_000

export const spawnApplyingWorker = (file: string): Worker =>
  new Worker(new URL("./applying-worker.ts", import.meta.url), {
    workerData: file,
    name: "read-models",
    // What it holds it passes on at once: a young generation of the usual size would only be memory.
    resourceLimits: { maxYoungGenerationSizeMb: 4 }
  })

/**
 * Starts the thread once `startAfter` writes were made. A batch takes milliseconds, and moving the write-ahead log into
 * the file takes more: on the main thread every request would wait for both. When the thread ends by itself, what it
 * had not told of fails, and after as many writes again there is another one.
 */
export const makeApplyingThread = (file: string, startAfter = WRITES_BEFORE_HELP): ApplyingThread => {
  const pending = new Map<number, Done>()
  const bell = makeCondition()
  let lastKey = 0
  let written = 0
  let worker: Worker | undefined
  let isReady = false

  const say = (to: Worker, message: ToApplying) => to.postMessage(message)

  const settle = (key: number, outcome: Applied | Error) => {
    const done = pending.get(key)
    // An unknown key is a message that a runtime delivered twice.
    if (done === undefined) return
    pending.delete(key)
    // Nothing keeps the process for a thread that has nothing to do.
    if (pending.size === 0) worker?.unref()
    done(outcome)
  }

  const forget = () => {
    worker = undefined
    isReady = false
    written = 0
    bell.ring()
    const left = Array.from(pending.keys())
    // Who waits may go on at once, and what is being done about the file is to be done by then.
    queueMicrotask(() => {
      for (const key of left) settle(key, new Error("the thread of the read models ended"))
    })
  }

  const start = () => {
    const started = spawnApplyingWorker(file)
    worker = started
    started.unref()
    started.on("message", (message: FromApplying) => {
      if (message._tag === "Closed") void started.terminate()
      if (worker !== started) return
      if (message._tag === "Ready") {
        isReady = true
        bell.ring()
      } else if (message._tag === "Applied") settle(message.key, message)
      else if (message._tag === "Failed") settle(message.key, new Error(message.message))
    })
    // It shows in what was waiting for it.
    started.on("error", () => undefined)
    started.on("exit", () => {
      if (worker === started) forget()
    })
  }

  const abandon = () => {
    if (worker === undefined) return
    say(worker, { _tag: "Close" })
    forget()
  }

  const stopped = (ending: Worker): Effect.Effect<void> =>
    Effect.callback<void>((resume) => {
      ending.ref()
      ending.once("exit", () => resume(Effect.void))
      say(ending, { _tag: "Close" })
    }).pipe(Effect.timeoutOption("2 seconds"), Effect.andThen(Effect.promise(() => ending.terminate())))

  return {
    wrote: (writes) => {
      written += writes
      if (written <= startAfter || worker !== undefined) return
      try {
        start()
      } catch {
        // No more threads can be had: there is a next time, and batches are applied in place.
        written = 0
      }
    },
    isReady: () => isReady,
    started: Effect.suspend(() => {
      if (worker === undefined) start()
      return bell.until(() => isReady || worker === undefined)
    }),
    apply: (model, batch, done) => {
      if (worker === undefined) return done(new Error("the thread of the read models is not running"))
      const key = ++lastKey
      pending.set(key, done)
      worker.ref()
      say(worker, { _tag: "Apply", key, model, batch })
    },
    abandon,
    close: Effect.suspend(() => worker === undefined ? Effect.void : stopped(worker))
  }
}
