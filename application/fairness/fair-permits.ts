import { Data, Deferred, type Duration, Effect, Exit } from "effect"

export interface FairPermitsOptions {
  /** Most effects at a time. */
  readonly size: number
  /** Most effects of one key at a time. */
  readonly perKey: number
  /** Additional permits, only for keys that have none. So a key that holds every other permit delays no other key. */
  readonly spare: number
  /** Most effects that wait for a permit. */
  readonly maxWaiting: number
  readonly maxWait: Duration.Input
}

/**
 * The effect did not run.
 *
 * - `own-share`: the key uses up its share of the permits or of the queue
 * - `overload`: all keys together need more than there is
 */
export class NoPermit extends Data.TaggedError("NoPermit")<{ readonly reason: "own-share" | "overload" }> {}

export interface FairPermits {
  /** Runs an effect with a permit of the key. Interruption ends the wait. */
  readonly withPermit: (
    key: string
  ) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | NoPermit, R>
  /**
   * Counts one effect of the key as running until the promise settles, and takes no permit from other keys: for work that
   * an effect left behind.
   */
  readonly occupy: (key: string, until: Promise<unknown>) => void
}

/** A waiting effect. When `hasPermit` is set it holds the permit; when `turn` fails it does not. */
interface Waiter {
  readonly turn: Deferred.Deferred<void, NoPermit>
  hasPermit: boolean
}

/**
 * A semaphore that is fair between keys, such as branches: each key has its own queue, and the queues take turns. When
 * the queue is full, the newest effect of the key with the most waiting effects makes room.
 */
export const makeFairPermits = ({ maxWait, maxWaiting, perKey, size, spare }: FairPermitsOptions): FairPermits => {
  /** Effects of each key that hold a permit, or occupy the key without one. */
  const running = new Map<string, number>()
  /** The key that was served longest ago comes first. No queue is empty. */
  const queues = new Map<string, Array<Waiter>>()
  let runningInAll = 0
  let waitingInAll = 0

  const runningOf = (key: string): number => running.get(key) ?? 0
  const waitingOf = (key: string): number => queues.get(key)?.length ?? 0

  const hasPermit = (key: string): boolean =>
    runningOf(key) === 0 ? runningInAll < size + spare : runningInAll < size && runningOf(key) < perKey

  const count = (key: string, change: 1 | -1): void => {
    const now = runningOf(key) + change
    if (now > 0) running.set(key, now)
    else running.delete(key)
  }

  const acquire = (key: string): void => {
    count(key, 1)
    runningInAll++
  }

  const release = (key: string): void => {
    count(key, -1)
    runningInAll--
    startWaiting()
  }

  const occupy = (key: string, until: Promise<unknown>): void => {
    count(key, 1)
    const leave = (): void => {
      count(key, -1)
      startWaiting()
    }
    void until.then(leave, leave)
  }

  const startWaiting = (): void => {
    for (let key = nextKey(); key !== undefined; key = nextKey()) {
      const queue = queues.get(key) ?? []
      const waiter = queue.shift()
      // Moves the key behind the others.
      queues.delete(key)
      if (queue.length > 0) queues.set(key, queue)
      if (waiter === undefined) continue
      waitingInAll--
      acquire(key)
      waiter.hasPermit = true
      Deferred.doneUnsafe(waiter.turn, Exit.void)
    }
  }

  const nextKey = (): string | undefined => [...queues.keys()].find(hasPermit)

  const remove = (key: string, waiter: Waiter): void => {
    const queue = queues.get(key)
    const index = queue?.indexOf(waiter) ?? -1
    if (queue === undefined || index < 0) return
    queue.splice(index, 1)
    waitingInAll--
    if (queue.length === 0) queues.delete(key)
  }

  /** Makes room in the queue for one more effect of the key. Returns false when no other key has more than its share. */
  const makeRoom = (key: string): boolean => {
    if (waitingInAll < maxWaiting) return true
    const [longest] = [...queues.keys()].sort((one, other) => waitingOf(other) - waitingOf(one))
    if (longest === undefined || waitingOf(longest) <= waitingOf(key) + 1) return false
    const last = queues.get(longest)?.at(-1)
    if (last === undefined) return false
    remove(longest, last)
    Deferred.doneUnsafe(last.turn, Exit.fail(refusal(longest)))
    return true
  }

  const wait = (key: string): Waiter => {
    const waiter: Waiter = { turn: Deferred.makeUnsafe(), hasPermit: false }
    const queue = queues.get(key)
    if (queue === undefined) queues.set(key, [waiter])
    else queue.push(waiter)
    waitingInAll++
    return waiter
  }

  const runHolding = <A, E, R>(key: string, effect: Effect.Effect<A, E, R>) =>
    Effect.ensuring(effect, Effect.sync(() => release(key)))

  /** For an effect of the key that neither runs nor waits. */
  const refusal = (key: string) =>
    new NoPermit({ reason: runningOf(key) + waitingOf(key) > 0 ? "own-share" : "overload" })

  return {
    occupy,
    withPermit: (key) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend((): Effect.Effect<A, E | NoPermit, R> => {
          if (hasPermit(key)) {
            acquire(key)
            return runHolding(key, restore(effect))
          }
          if (!makeRoom(key)) return Effect.fail(refusal(key))
          const waiter = wait(key)
          return restore(Effect.timeoutOption(Deferred.await(waiter.turn), maxWait)).pipe(
            Effect.onInterrupt(() => Effect.sync(() => waiter.hasPermit ? release(key) : remove(key, waiter))),
            Effect.flatMap((): Effect.Effect<A, E | NoPermit, R> => {
              if (waiter.hasPermit) return runHolding(key, restore(effect))
              remove(key, waiter)
              return Effect.fail(refusal(key))
            })
          )
        })
      )
  }
}
