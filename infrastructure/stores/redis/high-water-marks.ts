import { formatPosition, isBefore, parsePosition, type Position } from "../../../domain/events/recorded-event.ts"
import { placeOf } from "../../../projections/engine/model-name.ts"

/** The furthest position at which this process has seen a model; it never decreases. */
export interface HighWaterMark {
  at: string
}

/** A model below its mark was lost, and must not be read. Scripts compare the mark with the checkpoint. */
export interface HighWaterMarks {
  /** The current mark. A reply raises the mark that was sent with its request, not one that was set since. */
  readonly of: (model: string) => HighWaterMark
  readonly raise: (mark: HighWaterMark, at: string) => void
  /** Replaces the mark. */
  readonly reset: (model: string, at: Position) => void
}

const BEGINNING = "0/0"

export const makeHighWaterMarks = (): HighWaterMarks => {
  const marks = new Map<string, HighWaterMark>()
  return {
    of: (model) => {
      const known = marks.get(model)
      if (known !== undefined) return known
      const mark: HighWaterMark = { at: BEGINNING }
      // A shadow model has no mark, because other processes clear and promote it too.
      if (placeOf(model) === model) marks.set(model, mark)
      return mark
    },
    raise: (mark, at) => {
      if (mark.at !== at && isBefore(parseRedisPosition(mark.at), parseRedisPosition(at))) mark.at = at
    },
    reset: (model, at) => void marks.set(model, { at: formatPosition(at) })
  }
}

export const parseRedisPosition = (text: string): Position => {
  const position = parsePosition(text)
  if (position === undefined) throw new Error(`a position was expected from Redis, not ${text}`)
  return position
}
