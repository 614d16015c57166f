import {
  beginning,
  formatPosition,
  isBefore,
  parsePosition,
  type Position
} from "../../../../domain/events/recorded-event.ts"
import { placeOf } from "../../../../projections/engine/model-name.ts"

/** The high-water mark of a model in this process (`ReadModels`). Scripts compare it with the checkpoint. */
export interface HighWaterMark {
  at: string
  /** Whether this process has seen the model at its mark. */
  isReached: boolean
}

export interface HighWaterMarks {
  /** The current mark. A reply raises the mark that was sent with its request, not one that was reset since. */
  readonly of: (model: string) => HighWaterMark
  /** Raises a mark to a checkpoint of the model. */
  readonly raise: (mark: HighWaterMark, checkpoint: string) => void
  /** Raises a mark to a position that the model may not have reached. */
  readonly require: (model: string, position: Position) => void
  /** Replaces the mark. */
  readonly reset: (model: string, at: Position) => void
}

export const makeHighWaterMarks = (): HighWaterMarks => {
  const marks = new Map<string, HighWaterMark>()
  const markAt = (at: Position): HighWaterMark => ({ at: formatPosition(at), isReached: !isBefore(beginning, at) })
  const of = (model: string): HighWaterMark => {
    const known = marks.get(model)
    if (known !== undefined) return known
    const mark = markAt(beginning)
    // A shadow model has no mark, because other processes clear and promote it too.
    if (placeOf(model) === model) marks.set(model, mark)
    return mark
  }
  return {
    of,
    raise: (mark, checkpoint) => {
      if (mark.at !== checkpoint) {
        if (!isBefore(parseRedisPosition(mark.at), parseRedisPosition(checkpoint))) return
        mark.at = checkpoint
      }
      mark.isReached = true
    },
    require: (model, position) => {
      const mark = of(model)
      if (isBefore(parseRedisPosition(mark.at), position)) Object.assign(mark, markAt(position))
    },
    reset: (model, at) => void marks.set(model, markAt(at))
  }
}

export const parseRedisPosition = (text: string): Position => {
  const position = parsePosition(text)
  if (position === undefined) throw new Error(`a position was expected from Redis, not ${text}`)
  return position
}
