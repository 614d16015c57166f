import { beginning, isBefore, type Position } from "../../../../domain/events/recorded-event.ts"

/**
 * How far this process has seen each model, and which of them were lost since and are not back there yet. While
 * nothing is lost, asking costs a look at the size of an empty set.
 */
export interface SeenPositions {
  readonly saw: (model: string, position: Position) => void
  /** Forgets what was seen; the model is lost until it is as far as that, which of the beginning it is at once. */
  readonly expect: (model: string, position: Position) => void
  /** Nothing of any model is there any more. */
  readonly loseAll: () => void
  /** Whether the model is behind where it was seen; `checkpoint` says where it is now. */
  readonly isLost: (model: string, checkpoint: (model: string) => Position) => boolean
}

export const makeSeenPositions = (seenAtFirst: Iterable<readonly [model: string, Position]>): SeenPositions => {
  const seen = new Map(seenAtFirst)
  const lost = new Set<string>()
  return {
    saw: (model, position) => {
      const before = seen.get(model)
      if (before === undefined || isBefore(before, position)) seen.set(model, position)
    },
    expect: (model, position) => {
      seen.delete(model)
      lost.delete(model)
      if (!isBefore(beginning, position)) return
      seen.set(model, position)
      lost.add(model)
    },
    loseAll: () => {
      for (const model of seen.keys()) lost.add(model)
    },
    isLost: (model, checkpoint) => {
      if (lost.size === 0 || !lost.has(model)) return false
      const goal = seen.get(model)
      if (goal !== undefined && isBefore(checkpoint(model), goal)) return true
      lost.delete(model)
      return false
    }
  }
}
