import { DatabaseSync } from "node:sqlite"
import { parentPort, workerData } from "node:worker_threads"

/** Moves what has come together in the write-ahead log into the file, without ever holding up the writer. */
const database = new DatabaseSync(String(workerData))
database.exec("PRAGMA busy_timeout = 1000; PRAGMA wal_autocheckpoint = 0")

const tidy = () => {
  try {
    database.exec("PRAGMA wal_checkpoint(PASSIVE)")
  } catch {
    // Busy, or the file is being replaced: there is a next time, and closing the file tidies up as well.
  }
}

const timer = setInterval(tidy, 500)
parentPort?.on("message", () => {
  clearInterval(timer)
  database.close()
  parentPort?.postMessage("closed")
})
