import { DatabaseSync } from "node:sqlite"
import { faultsOfPages } from "./own-schema.ts"

/** A file to examine, and the most faults to report. */
export interface Examination {
  readonly file: string
  readonly most: number
}

/** Examines a file on a connection of its own. Throws when it cannot be opened. */
export const examine = ({ file, most }: Examination): ReadonlyArray<string> => {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    db.exec("PRAGMA busy_timeout = 5000; PRAGMA cache_size = -16384")
    return faultsOfPages(db, most)
  } finally {
    db.close()
  }
}
