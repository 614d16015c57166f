import { Effect } from "effect"
import { formatPosition, type Position } from "../../../../../domain/events/recorded-event.ts"
import type { Batch, ReadModelsError, Write } from "../../../../../ports/read-models.ts"
import type { Applied } from "./apply-batch.ts"
import { failed, type OpenFile } from "./open-file.ts"
import { flat, readPosition } from "./tables.ts"

/** Called after the commit of a batch of `written` writes. `writes` is empty when no listener wants them. */
export type OnApplied = (model: string, upTo: Position, writes: ReadonlyArray<Write>, written: number) => void

/** Applies batches: in the thread while it runs, and otherwise in place. A large batch starts the thread and waits for it. */
export const makeApplying = ({ attempt, orReplace, tables, writer }: OpenFile, onApplied: OnApplied) => {
  const applied = (model: string, { upTo, writes }: Batch, outcome: Applied): Position => {
    if (outcome.applied) onApplied(model, upTo, writes, writes.length)
    return readPosition(outcome.current)
  }

  /** Whether a batch without an answer took effect. The thread that had it has closed the file. */
  const isApplied = (model: string, { upTo }: Batch): boolean => {
    try {
      return formatPosition(tables().checkpoint(model)) === formatPosition(upTo)
    } catch {
      return false
    }
  }

  const inThread = (model: string, batch: Batch) =>
    orReplace(Effect.callback<Position, ReadModelsError>((resume) =>
      writer.apply(model, flat(batch), (outcome) => {
        // Also when the caller was interrupted: listeners need every batch.
        if (!(outcome instanceof Error)) resume(Effect.succeed(applied(model, batch, outcome)))
        else if (!isApplied(model, batch)) resume(Effect.fail(failed("apply")(outcome)))
        else resume(Effect.succeed(applied(model, batch, { current: formatPosition(batch.upTo), applied: true })))
      })
    ))

  const inPlace = (model: string, batch: Batch) =>
    attempt("apply", (tables) => applied(model, batch, tables.apply(model, batch)))

  return (model: string, batch: Batch): Effect.Effect<Position, ReadModelsError> => {
    const apply = Effect.suspend(() => writer.isReady() ? inThread(model, batch) : inPlace(model, batch))
    return batch.writes.length < LARGE_BATCH || writer.isReady() ? apply : Effect.andThen(writer.start, apply)
  }
}

/** A batch with this many writes would block the process for tens of milliseconds. */
const LARGE_BATCH = 2_000
