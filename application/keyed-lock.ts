import { Deferred, type Duration, Effect, Exit } from "effect"

/**
 * One at a time per key, within this process. A courtesy, not a guarantee: it spares concurrent requests for one slip
 * lost races and double questions to the bank. Whoever has waited for `patience` goes ahead all the same, because the
 * log decides exactly even then.
 */
export interface KeyedLock {
  readonly withKey: (key: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const makeKeyedLock = (patience: Duration.Input): KeyedLock => {
  const queues = new Map<string, Array<Deferred.Deferred<void>>>()

  const release = (key: string) => {
    const next = queues.get(key)?.shift()
    if (next === undefined) queues.delete(key)
    else Deferred.doneUnsafe(next, Exit.void)
  }

  const turn = (queue: Array<Deferred.Deferred<void>>) => {
    const mine = Deferred.makeUnsafe<void>()
    queue.push(mine)
    const leave = () => {
      const at = queue.indexOf(mine)
      if (at !== -1) queue.splice(at, 1)
      return at !== -1
    }
    return { mine, leave }
  }

  return {
    withKey: (key) => (effect) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend(() => {
          const queue = queues.get(key)
          if (queue === undefined) {
            queues.set(key, [])
            return Effect.ensuring(restore(effect), Effect.sync(() => release(key)))
          }
          const { leave, mine } = turn(queue)
          return restore(Effect.timeoutOption(Deferred.await(mine), patience)).pipe(
            // Whoever leaves the queue before its turn holds nothing; whoever was called in the meantime does.
            Effect.onInterrupt(() => Effect.sync(() => leave() || release(key))),
            Effect.flatMap(() => {
              const uncalled = leave()
              return Effect.ensuring(restore(effect), Effect.sync(() => uncalled || release(key)))
            })
          )
        })
      )
  }
}
