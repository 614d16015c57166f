import type { DatabaseSync } from "node:sqlite"
import type { Write } from "../../../../ports/read-models.ts"
import { makeTransaction } from "./transaction.ts"
import { makeWriter } from "./writer.ts"

/** A batch as it goes to a thread: positions as they stand in the file, `commit/prepare`. */
export interface FlatBatch {
  readonly after: string
  readonly upTo: string
  readonly writes: ReadonlyArray<Write>
}

/** The checkpoint in force after a batch, and whether the batch took effect. */
export interface Applied {
  readonly inForce: string
  readonly applied: boolean
}

const POSITION = /^\d+\/\d+$/u
const BEGINNING = "0/0"

/** Makes the function that applies a batch and moves the checkpoint, in one transaction. It throws what SQLite throws. */
export const makeApplyBatch = (database: DatabaseSync): (model: string, batch: FlatBatch) => Applied => {
  const checkpoint = database.prepare("SELECT position FROM checkpoints WHERE model = ?")
  const setCheckpoint = database.prepare(
    "INSERT INTO checkpoints(model, position) VALUES (?, ?) ON CONFLICT DO UPDATE SET position = excluded.position"
  )
  const write = makeWriter(database)
  const atomically = makeTransaction(database, "BEGIN IMMEDIATE")
  const inForceOf = (model: string): string => {
    const position = checkpoint.get(model)?.["position"]
    return typeof position === "string" && POSITION.test(position) ? position : BEGINNING
  }

  return (model, { after, upTo, writes }) =>
    atomically(() => {
      const inForce = inForceOf(model)
      if (inForce !== after) return { inForce, applied: false }
      write(model, writes)
      setCheckpoint.run(model, upTo)
      return { inForce: upTo, applied: true }
    })
}
