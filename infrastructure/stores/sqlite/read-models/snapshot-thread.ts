import { DatabaseSync } from "node:sqlite"
import { serveThread } from "../../../threads/serve-thread.ts"

// A thread that copies the file of the read models as it is at one moment, also while others write it, and ends then.

export interface SnapshotRequest {
  readonly file: string
  readonly target: string
}

serveThread<undefined, undefined, SnapshotRequest, undefined>(() => ({
  ready: undefined,
  answer: ({ file, target }) => {
    const database = new DatabaseSync(file, { readOnly: true })
    try {
      database.exec("PRAGMA busy_timeout = 10000; PRAGMA cache_size = -2048")
      database.prepare("VACUUM INTO ?").run(target)
    } finally {
      database.close()
    }
    return undefined
  }
}), { inBackground: true })
