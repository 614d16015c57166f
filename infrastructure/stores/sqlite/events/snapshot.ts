import type { DatabaseSync } from "node:sqlite"

/**
 * One view of the file for all reads of a turn of the event loop. A read transaction of its own for each would begin
 * with an empty page cache whenever the writer has committed in between; under load that is most of what a read costs.
 */
export interface Snapshot {
  /** Reads in a view that shows everything up to this position. Later ones of the same turn share it. */
  readonly read: <A>(upTo: number, read: () => A) => A
  /** Ends the view, so that the next read sees what was committed since. */
  readonly end: () => void
}

export const makeSnapshot = (db: DatabaseSync): Snapshot => {
  const begin = db.prepare("BEGIN")
  const commit = db.prepare("COMMIT")
  let shows = -1
  let turn: NodeJS.Immediate | undefined

  const end = () => {
    if (turn === undefined) return
    clearImmediate(turn)
    turn = undefined
    commit.run()
  }

  return {
    read: (upTo, read) => {
      // What was acknowledged after the view began is not in it.
      if (upTo > shows) end()
      if (turn === undefined) {
        begin.run()
        shows = upTo
        turn = setImmediate(end)
      }
      return read()
    },
    end
  }
}
