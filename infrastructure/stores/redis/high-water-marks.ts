import { placeOf } from "../../../projections/engine/model-name.ts"
import { formatPosition, isBefore, parsePosition, type Position } from "../../../domain/events/recorded-event.ts"

/** How far a model has to be to be read; only ever raised. */
export interface Floor {
  at: string
}

/** How far this process has seen each model: one that is behind that was lost, and must not be read. */
export interface Floors {
  /** What holds now. An answer raises the floor that held when it was asked for, not one that was set since. */
  readonly of: (model: string) => Floor
  readonly raise: (floor: Floor, at: string) => void
  /** Forgets what was seen. */
  readonly set: (model: string, at: Position) => void
}

const BEGINNING = "0/0"

export const makeFloors = (): Floors => {
  const floors = new Map<string, Floor>()
  return {
    of: (model) => {
      const known = floors.get(model)
      if (known !== undefined) return known
      const floor: Floor = { at: BEGINNING }
      // What is built beside a model comes and goes, also by the hand of other processes.
      if (placeOf(model) === model) floors.set(model, floor)
      return floor
    },
    raise: (floor, at) => {
      if (floor.at !== at && isBefore(positionOf(floor.at), positionOf(at))) floor.at = at
    },
    set: (model, at) => void floors.set(model, { at: formatPosition(at) })
  }
}

export const positionOf = (text: string): Position => {
  const position = parsePosition(text)
  if (position === undefined) throw new Error(`a position was expected from Redis, not ${text}`)
  return position
}
