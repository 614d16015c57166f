import { isBefore, type Position } from "../../../../../domain/events/recorded-event.ts"

/**
 * The high-water marks of models in this process (`ReadModels`). While every model is complete, a check costs a look at
 * the size of an empty set.
 */
export interface HighWaterMarks {
  /** Raises a mark to a position that the model has reached. */
  readonly raise: (model: string, position: Position) => void
  /** Raises a mark to a position that the model may not have reached. */
  readonly require: (model: string, position: Position) => void
  /** Replaces a mark. */
  readonly reset: (model: string, position: Position) => void
  /** Every model was lost. */
  readonly loseAll: () => void
  /** The mark of a model that is below it; undefined when the model is complete. */
  readonly unreached: (model: string, checkpoint: (model: string) => Position) => Position | undefined
}

export const makeHighWaterMarks = (checkpoints: Iterable<readonly [model: string, Position]>): HighWaterMarks => {
  const marks = new Map(checkpoints)
  /** Models that may be below their mark. */
  const incomplete = new Set<string>()
  const raise = (model: string, position: Position) => {
    const mark = marks.get(model)
    if (mark === undefined || isBefore(mark, position)) marks.set(model, position)
  }
  return {
    raise,
    require: (model, position) => {
      raise(model, position)
      incomplete.add(model)
    },
    reset: (model, position) => {
      marks.set(model, position)
      incomplete.add(model)
    },
    loseAll: () => {
      for (const model of marks.keys()) incomplete.add(model)
    },
    unreached: (model, checkpoint) => {
      if (incomplete.size === 0 || !incomplete.has(model)) return undefined
      const mark = marks.get(model)
      if (mark !== undefined && isBefore(checkpoint(model), mark)) return mark
      incomplete.delete(model)
      return undefined
    }
  }
}
