import { beginning, isBefore, type Position } from "../../../../domain/events/recorded-event.ts"

/**
 * The furthest position at which this process has seen each model. A model that was lost and is below its mark must not
 * be read: its answers would be wrong. While no model is lost, the check costs a look at the size of an empty set.
 */
export interface HighWaterMarks {
  readonly raise: (model: string, position: Position) => void
  /** Sets the mark anew. The model counts as lost until it reaches the position. */
  readonly reset: (model: string, position: Position) => void
  /** Every model was lost. */
  readonly loseAll: () => void
  /** Whether the model was lost and is below its mark; `checkpoint` gives where it is now. */
  readonly isLost: (model: string, checkpoint: (model: string) => Position) => boolean
}

export const makeHighWaterMarks = (checkpoints: Iterable<readonly [model: string, Position]>): HighWaterMarks => {
  const marks = new Map(checkpoints)
  const lost = new Set<string>()
  return {
    raise: (model, position) => {
      const mark = marks.get(model)
      if (mark === undefined || isBefore(mark, position)) marks.set(model, position)
    },
    reset: (model, position) => {
      marks.delete(model)
      lost.delete(model)
      if (!isBefore(beginning, position)) return
      marks.set(model, position)
      lost.add(model)
    },
    loseAll: () => {
      for (const model of marks.keys()) lost.add(model)
    },
    isLost: (model, checkpoint) => {
      if (lost.size === 0 || !lost.has(model)) return false
      const mark = marks.get(model)
      if (mark !== undefined && isBefore(checkpoint(model), mark)) return true
      lost.delete(model)
      return false
    }
  }
}
