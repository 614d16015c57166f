import { Cause, Deferred, type Duration, Effect, Exit, Option } from "effect"

/**
 * One at a time per key, within this process. A courtesy, not a guarantee: it spares concurrent requests for one slip
 * lost races and double questions to the bank. Whoever has waited for `patience` goes ahead all the same, because the
 * log decides exactly even then.
 */
export interface KeyedLock<Shared> {
  readonly withKey: (key: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Shared, R>
}

export interface KeyedLockOptions<Shared> {
  readonly patience: Duration.Input
  /**
   * Failures that those who wait get as well, instead of their turn: where a store or a bank is away, trying one after
   * the other would only make the last one wait for all.
   */
  readonly isShared: (error: unknown) => error is Shared
}

/** Somebody who waits. Called, he holds the key; dismissed, he is told why and holds nothing. */
interface Waiter<Shared> {
  readonly turn: Deferred.Deferred<void, Shared>
  isCalled: boolean
}

export const makeKeyedLock = <Shared = never>(options: KeyedLockOptions<Shared>): KeyedLock<Shared> => {
  const queues = new Map<string, Array<Waiter<Shared>>>()

  const release = (key: string) => {
    const next = queues.get(key)?.shift()
    if (next === undefined) return void queues.delete(key)
    next.isCalled = true
    Deferred.doneUnsafe(next.turn, Exit.void)
  }

  const end = (key: string, exit: Exit.Exit<unknown, unknown>) => {
    const failure = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.findErrorOption(exit.cause)) : undefined
    if (options.isShared(failure)) {
      for (const { turn } of queues.get(key)?.splice(0) ?? []) Deferred.doneUnsafe(turn, Exit.fail(failure))
    }
    release(key)
  }

  const holding = <A, E, R>(key: string, effect: Effect.Effect<A, E, R>) =>
    Effect.onExit(effect, (exit) => Effect.sync(() => end(key, exit)))

  const wait = (queue: Array<Waiter<Shared>>) => {
    const me: Waiter<Shared> = { turn: Deferred.makeUnsafe(), isCalled: false }
    queue.push(me)
    const leave = () => {
      const at = queue.indexOf(me)
      if (at !== -1) queue.splice(at, 1)
    }
    return { me, leave }
  }

  return {
    withKey: (key) => (effect) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend(() => {
          const queue = queues.get(key)
          if (queue === undefined) {
            queues.set(key, [])
            return holding(key, restore(effect))
          }
          const { leave, me } = wait(queue)
          return restore(Effect.timeoutOption(Deferred.await(me.turn), options.patience)).pipe(
            Effect.onInterrupt(() => Effect.sync(() => me.isCalled ? release(key) : leave())),
            Effect.flatMap(() => {
              if (me.isCalled) return holding(key, restore(effect))
              leave()
              return restore(effect)
            })
          )
        })
      )
  }
}
