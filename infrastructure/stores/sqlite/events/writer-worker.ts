import { parentPort, workerData } from "node:worker_threads"
import { makeAppendBatch } from "./append-batch.ts"
import { openForWriting } from "./log-file.ts"
import type { AppendMessage, FromWriter, ToWriter } from "./messages.ts"

// The writing thread: the only connection that writes. A batch is whatever queued while the last commit ran; no
// timer waits for a batch to fill, so a single append costs one flush and many at once share one.

/** Most appends of one transaction: bounds how long the first of them waits for the others. */
const MAX_BATCH = 256

const port = parentPort
if (port === null) throw new Error("the writing thread of the event log is started by the store only")
const say = (message: FromWriter): void => port.postMessage(message)

const messageOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

const serve = (file: string): void => {
  const db = openForWriting(file)
  const appendBatch = makeAppendBatch(db)
  const queue: Array<AppendMessage> = []
  let isScheduled = false
  let isClosing = false

  const commit = (): void => {
    const batch = queue.splice(0, MAX_BATCH)
    if (batch.length > 0) {
      try {
        say({ _tag: "Committed", ...appendBatch(batch, Date.now()) })
      } catch (cause) {
        say({ _tag: "Failed", keys: batch.map(([key]) => key), message: messageOf(cause) })
      }
    }
    isScheduled = false
    if (queue.length > 0) schedule()
    else if (isClosing) close()
  }
  // Through the event loop, so that every message that has arrived by now joins the batch.
  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(commit)
  }
  const close = (): void => {
    try {
      db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
    } finally {
      // What a failed checkpoint leaves in the WAL is read from there at the next start.
      db.close()
      say({ _tag: "Closed" })
    }
  }

  port.on("message", (message: ToWriter) => {
    if (isClosing) return
    if (message._tag === "Append") queue.push(...message.appends)
    else isClosing = true
    schedule()
  })
  say({ _tag: "Ready", head: appendBatch([], 0).head })
}

try {
  serve((workerData as { readonly file: string }).file)
} catch (cause) {
  say({ _tag: "OpenFailed", message: messageOf(cause) })
}
