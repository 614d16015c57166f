import { DatabaseSync } from "node:sqlite"
import { serveThread } from "../../../threads/serve-thread.ts"
import { type Applied, makeApplyBatch, type ModelBatch } from "./apply-batch.ts"

// The thread that applies batches under load, and moves the write-ahead log into the file.

/** Milliseconds between two checkpoints of the write-ahead log. */
const CHECKPOINT_EVERY = 500

serveThread<string, void, ModelBatch, Applied>((file) => {
  const database = new DatabaseSync(file)
  database.exec("PRAGMA busy_timeout = 10000; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0")
  database.exec("PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY")
  const apply = makeApplyBatch(database)
  const timer = setInterval(() => {
    try {
      database.exec("PRAGMA wal_checkpoint(PASSIVE)")
    } catch {
      // The file is busy or being replaced: the next checkpoint, or closing the file, does the work.
    }
  }, CHECKPOINT_EVERY)
  return {
    ready: undefined,
    answer: ({ batch, model }) => apply(model, batch),
    close: () => {
      clearInterval(timer)
      database.close()
    }
  }
})
