import { Effect } from "effect"

/** Permission to perform one step. The holder releases it, whatever the outcome. */
export interface Permit {
  /** Reports how the remote side answered. Not called when the step failed for another reason. */
  readonly report: (outcome: "success" | "failure") => Effect.Effect<void>
  readonly release: Effect.Effect<void>
}

/** Limits concurrency by lane, so that work of one lane does not delay another lane. */
export interface Limiter {
  /** Undefined when the lane has no free slot. */
  readonly acquire: (lane: string) => Effect.Effect<Permit | undefined>
  /** Whether the lane is paused. Its work then does not wait in memory. */
  readonly isPaused: (lane: string, now: number) => boolean
}

export interface LimiterOptions {
  readonly total: number
  readonly perLane: number
  /** Additional slots, only for lanes in which nothing runs. 0 by default. */
  readonly spare?: number
}

/** A limiter with a limit for each lane and a limit for all lanes together. */
export const makeLimiter = ({ perLane, spare = 0, total }: LimiterOptions): Limiter => {
  const running = new Map<string, number>()
  let runningInAll = 0

  const acquire = (lane: string): Permit | undefined => {
    const inLane = running.get(lane) ?? 0
    const hasSlot = inLane === 0 ? runningInAll < total + spare : runningInAll < total && inLane < perLane
    if (!hasSlot) return undefined
    runningInAll++
    running.set(lane, inLane + 1)
    return { report: () => Effect.void, release: Effect.sync(() => release(lane)) }
  }

  const release = (lane: string) => {
    const remaining = (running.get(lane) ?? 0) - 1
    runningInAll--
    if (remaining > 0) running.set(lane, remaining)
    else running.delete(lane)
  }

  return { acquire: (lane) => Effect.sync(() => acquire(lane)), isPaused: () => false }
}
