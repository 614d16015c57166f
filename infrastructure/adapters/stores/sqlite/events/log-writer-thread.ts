import { serveThread } from "../../../../platform/threads/serve-thread.ts"
import { type AppendMessage, type Committed, makeAppendBatch } from "./append-batch.ts"
import { openForWriting } from "./log-file.ts"

// The thread with the only connection that appends to the log. A question is a batch of appends and becomes one
// transaction, so that all of them share one flush. An empty batch tests whether the log can be written. Its `ready` is
// the position of the last event.

serveThread<string, number, ReadonlyArray<AppendMessage>, Committed>((file) => {
  const db = openForWriting(file)
  const appendBatch = makeAppendBatch(db)
  return {
    ready: appendBatch([], 0).head,
    answer: (appends) => {
      // Writes a page of the file without a change of its content. The log does not use this number.
      if (appends.length === 0) db.exec("PRAGMA user_version = 0")
      return appendBatch(appends, Date.now())
    },
    close: () => {
      try {
        db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
      } finally {
        // After a failed checkpoint the next start reads the events from the write-ahead log.
        db.close()
      }
    }
  }
})
