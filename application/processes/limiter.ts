import { Effect } from "effect"

/** Leave to do one piece of work. Whoever has one gives it back by leaving, whatever came of it. */
export interface Pass {
  /** What the other side made of it. Never said when nothing came of it, which says nothing of the other side. */
  readonly report: (went: "well" | "badly") => Effect.Effect<void>
  /** To be done when the lane is no longer needed, which may be before the work is over. */
  readonly leave: Effect.Effect<void>
}

/** How much may be done at a time, by lane: work of one lane costs that of others nothing. */
export interface Gate {
  /** Undefined when the lane has no room at the moment. */
  readonly enter: (lane: string) => Effect.Effect<Pass | undefined>
  /** Whether the lane is shut for a while, so that there is no use in waiting in front of it. */
  readonly isShut: (lane: string, now: number) => boolean
}

/** A gate that lets in so many in all, and so many of each lane. */
export const makeSharedGate = ({ perLane, total }: { readonly total: number; readonly perLane: number }): Gate => {
  const inside = new Map<string, number>()
  let all = 0

  const enter = (lane: string): Pass | undefined => {
    const here = inside.get(lane) ?? 0
    if (all >= total || here >= perLane) return undefined
    all++
    inside.set(lane, here + 1)
    return { report: () => Effect.void, leave: Effect.sync(() => leave(lane)) }
  }

  const leave = (lane: string) => {
    const left = (inside.get(lane) ?? 0) - 1
    all--
    if (left > 0) inside.set(lane, left)
    else inside.delete(lane)
  }

  return { enter: (lane) => Effect.sync(() => enter(lane)), isShut: () => false }
}
