import { Worker } from "node:worker_threads"
import type { FromWriter, ToWriter } from "./messages.ts"

/** A running writing thread. */
export interface WriterThread {
  /** Position of the last event when it opened the log. */
  readonly head: number
  readonly post: (message: ToWriter) => void
  /** Commits what was posted, closes the file and ends the thread; also returns when the thread dies on the way. */
  readonly close: () => Promise<void>
}

export interface WriterThreadListener {
  readonly onMessage: (message: FromWriter) => void
  /** The thread is gone, asked for or not; called once, and never before it was ready. */
  readonly onEnd: (why: string) => void
}

export type SpawnWorker = (file: string) => Worker

export const spawnWriterWorker: SpawnWorker = (file) =>
  new Worker(new URL("./writer-worker.ts", import.meta.url), {
    workerData: { file },
    name: "event-log-writer",
    // What it holds it passes on at once: a young generation of the usual size would only be memory.
    resourceLimits: { maxYoungGenerationSizeMb: 4 }
  })

/** Starts a writing thread; rejects, saying why, when it can't open the log. */
export const startWriterThread = (
  file: string,
  listener: WriterThreadListener,
  spawn: SpawnWorker
): Promise<WriterThread> =>
  new Promise((resolve, reject) => {
    const worker = spawn(file)
    let isReady = false
    let why = "the writing thread of the event log ended"

    worker.on("error", (cause: unknown) => {
      why = `the writing thread of the event log crashed: ${cause instanceof Error ? cause.message : String(cause)}`
    })
    worker.on("exit", () => {
      if (isReady) listener.onEnd(why)
      else reject(new Error(why))
    })
    worker.on("message", (message: FromWriter) => {
      if (message._tag === "Ready") {
        isReady = true
        const post = (out: ToWriter): void => worker.postMessage(out)
        const close = (): Promise<void> =>
          new Promise((done) => {
            worker.once("exit", () => done())
            post({ _tag: "Close" })
          })
        resolve({ head: message.head, post, close })
      } else if (message._tag === "OpenFailed") {
        why = message.message
        void worker.terminate()
      } else if (message._tag === "Closed") void worker.terminate()
      else listener.onMessage(message)
    })
  })
