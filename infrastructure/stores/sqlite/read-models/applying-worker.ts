import { DatabaseSync } from "node:sqlite"
import { parentPort, workerData } from "node:worker_threads"
import { makeApplyBatch } from "./apply-batch.ts"
import type { FromApplying, ToApplying } from "./applying-messages.ts"

// The thread that applies batches under load, and moves what has come together in the write-ahead log into the file.

/** How often the write-ahead log is looked at, in milliseconds. */
const TIDY_MILLIS = 500

const port = parentPort
if (port === null) throw new Error("the thread of the read models is started by the engine only")
const say = (message: FromApplying): void => port.postMessage(message)

const database = new DatabaseSync(String(workerData))
database.exec("PRAGMA busy_timeout = 1000; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0")
database.exec("PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY")
const apply = makeApplyBatch(database)

const tidy = () => {
  try {
    database.exec("PRAGMA wal_checkpoint(PASSIVE)")
  } catch {
    // Busy, or the file is being replaced: there is a next time, and closing the file tidies up as well.
  }
}
const timer = setInterval(tidy, TIDY_MILLIS)

port.on("message", (message: ToApplying) => {
  if (message._tag === "Close") {
    clearInterval(timer)
    database.close()
    say({ _tag: "Closed" })
    return
  }
  const { batch, key, model } = message
  try {
    say({ _tag: "Applied", key, ...apply(model, batch) })
  } catch (cause) {
    say({ _tag: "Failed", key, message: cause instanceof Error ? cause.message : String(cause) })
  }
})
say({ _tag: "Ready" })
