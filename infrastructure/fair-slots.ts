import { Effect, type Scope } from "effect"

/** Slots for concurrent work, shared fairly between lanes. A lane is the branch that pays for the work. */
export interface FairSlots {
  /**
   * Waits for a slot of the lane and holds it until the scope closes. A free slot goes to the waiting lane that was
   * served longest ago. An interrupted wait gives its place in the queue back.
   */
  readonly acquire: (lane: string) => Effect.Effect<void, never, Scope.Scope>
}

/** `total` limits all lanes together. */
export const makeFairSlots = ({ perLane, total }: { readonly total: number; readonly perLane: number }): FairSlots => {
  const running = new Map<string, number>()
  /** The lane that was served longest ago comes first. A lane without waiting work is absent. */
  const waiting = new Map<string, Set<() => void>>()
  let runningInAll = 0

  const isFull = (lane: string): boolean => runningInAll >= total || (running.get(lane) ?? 0) >= perLane

  const start = (lane: string) => {
    runningInAll++
    running.set(lane, (running.get(lane) ?? 0) + 1)
  }

  const leaveQueue = (lane: string, grant: () => void) => {
    const queue = waiting.get(lane)
    queue?.delete(grant)
    if (queue?.size === 0) waiting.delete(lane)
  }

  const startNext = () => {
    for (const [lane, queue] of waiting) {
      if (isFull(lane)) continue
      const [grant] = queue
      if (grant === undefined) continue
      queue.delete(grant)
      // Moves the lane behind the others.
      waiting.delete(lane)
      if (queue.size > 0) waiting.set(lane, queue)
      start(lane)
      grant()
      return
    }
  }

  const release = (lane: string) => {
    const remaining = (running.get(lane) ?? 0) - 1
    runningInAll--
    if (remaining > 0) running.set(lane, remaining)
    else running.delete(lane)
    startNext()
  }

  const wait = (lane: string): Effect.Effect<void> =>
    Effect.callback((resume) => {
      if (!isFull(lane)) {
        start(lane)
        return resume(Effect.void)
      }
      const grant = () => resume(Effect.void)
      const queue = waiting.get(lane) ?? new Set()
      waiting.set(lane, queue.add(grant))
      return Effect.sync(() => leaveQueue(lane, grant))
    })

  return {
    acquire: (lane) =>
      Effect.acquireRelease(wait(lane), () => Effect.sync(() => release(lane)), { interruptible: true })
  }
}
