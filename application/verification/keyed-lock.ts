import { Cause, Deferred, type Duration, Effect, Exit, Option } from "effect"

/**
 * Runs one effect at a time for each key, within this process. Concurrent requests for one slip then cause no conflicts
 * and ask the bank once. This is an optimisation, not a guarantee: a request that has waited for `patience` runs
 * without the lock. The log stays correct, because an append at an unexpected revision fails.
 */
export interface KeyedLock<Shared> {
  readonly withKey: (key: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Shared, R>
}

export interface KeyedLockOptions<Shared> {
  readonly patience: Duration.Input
  /**
   * Failures that every waiting request receives too. While a store or a bank is unavailable, the requests would
   * otherwise fail one after another. The last one would wait for all the others.
   */
  readonly isShared: (error: unknown) => error is Shared
}

/** A waiting request. When `hasKey` is set it holds the key; when `turn` fails it does not. */
interface Waiter<Shared> {
  readonly turn: Deferred.Deferred<void, Shared>
  hasKey: boolean
}

export const makeKeyedLock = <Shared = never>(options: KeyedLockOptions<Shared>): KeyedLock<Shared> => {
  const queues = new Map<string, Array<Waiter<Shared>>>()

  const release = (key: string) => {
    const next = queues.get(key)?.shift()
    if (next === undefined) return void queues.delete(key)
    next.hasKey = true
    Deferred.doneUnsafe(next.turn, Exit.void)
  }

  const end = (key: string, exit: Exit.Exit<unknown, unknown>) => {
    const failure = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.findErrorOption(exit.cause)) : undefined
    if (options.isShared(failure)) {
      for (const { turn } of queues.get(key)?.splice(0) ?? []) Deferred.doneUnsafe(turn, Exit.fail(failure))
    }
    release(key)
  }

  const runHolding = <A, E, R>(key: string, effect: Effect.Effect<A, E, R>) =>
    Effect.onExit(effect, (exit) => Effect.sync(() => end(key, exit)))

  const wait = (queue: Array<Waiter<Shared>>) => {
    const waiter: Waiter<Shared> = { turn: Deferred.makeUnsafe(), hasKey: false }
    queue.push(waiter)
    const leave = () => {
      const index = queue.indexOf(waiter)
      if (index !== -1) queue.splice(index, 1)
    }
    return { waiter, leave }
  }

  return {
    withKey: (key) => (effect) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend(() => {
          const queue = queues.get(key)
          if (queue === undefined) {
            queues.set(key, [])
            return runHolding(key, restore(effect))
          }
          const { leave, waiter } = wait(queue)
          return restore(Effect.timeoutOption(Deferred.await(waiter.turn), options.patience)).pipe(
            Effect.onInterrupt(() => Effect.sync(() => waiter.hasKey ? release(key) : leave())),
            Effect.flatMap(() => {
              if (waiter.hasKey) return runHolding(key, restore(effect))
              leave()
              return restore(effect)
            })
          )
        })
      )
  }
}
