import { Effect, Fiber, type Scope, Semaphore } from "effect"
import { engage, type Hand, type HandOptions, PoolError } from "./hand.ts"

export interface PoolOptions<Input> extends HandOptions {
  /** Most workers at a time. None is started before it is needed. */
  readonly size: number
  /** Most inputs that wait for a worker. */
  readonly maxWaiting: number
  /** How long a worker may take for one input, its own start included. */
  readonly deadlineMillis: number
  /** How long a worker without work is kept. */
  readonly idleMillis: number
  /** Inputs behind which a worker holds so much memory that it is ended. */
  readonly wearsOut: (input: Input) => boolean
}

export interface Pool<Input, Output> {
  /** Has one worker work on an input. Interrupting it gives up the place in the queue, or ends the worker. */
  readonly run: (input: Input, transfer: ReadonlyArray<ArrayBuffer>) => Effect.Effect<Output, PoolError>
}

/**
 * A pool of worker threads for work that may never end: one input at a time each, and whoever exceeds the deadline,
 * fails or is not wanted any more is terminated, which is the only way to stop code that never yields. Its
 * successor starts when the next input needs it.
 */
export const makePool = Effect.fnUntraced(function* <Input, Output>(
  options: PoolOptions<Input>
): Effect.fn.Return<Pool<Input, Output>, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const places = yield* Semaphore.make(options.size)
  const resting: Array<Resting<Input, Output>> = []
  let inside = 0

  const engaged = new Set<Hand<Input, Output>>()

  yield* Effect.addFinalizer(() =>
    Effect.promise(() => {
      engaged.forEach((hand) => hand.end())
      return Promise.all([...engaged].map((hand) => hand.gone))
    })
  )

  const engageOne = () => {
    const hand = engage<Input, Output>(options)
    engaged.add(hand)
    void hand.gone.then(() => engaged.delete(hand))
    return hand
  }

  /** The one that rested last, so that the others may reach the end of their idleness. */
  const take = Effect.gen(function* () {
    while (true) {
      const last = resting.pop()
      if (last === undefined) return engageOne()
      yield* Fiber.interrupt(last.bedtime)
      if (last.hand.isAlive()) return last.hand
    }
  })

  const rest = Effect.fnUntraced(function* (hand: Hand<Input, Output>) {
    const dismiss = Effect.sync(() => {
      const at = resting.findIndex((other) => other.hand === hand)
      if (at < 0) return
      resting.splice(at, 1)
      hand.end()
    })
    const bedtime = yield* Effect.sleep(options.idleMillis).pipe(Effect.andThen(dismiss), Effect.forkIn(scope))
    resting.push({ hand, bedtime })
  })

  const work = (input: Input, transfer: ReadonlyArray<ArrayBuffer>) =>
    Effect.acquireUseRelease(
      take,
      (hand) =>
        Effect.timeoutOrElse(hand.ask(input, transfer), {
          duration: options.deadlineMillis,
          orElse: () => Effect.fail(new PoolError({ reason: "deadline" }))
        }),
      (hand, exit) =>
        exit._tag === "Success" && hand.isAlive() && !options.wearsOut(input) ? rest(hand) : Effect.sync(hand.end)
    )

  return {
    run: (input, transfer) =>
      Effect.suspend(() => {
        if (inside >= options.size + options.maxWaiting) return Effect.fail(new PoolError({ reason: "busy" }))
        inside++
        return Effect.ensuring(
          places.withPermit(work(input, transfer)),
          Effect.sync(() => {
            inside--
          })
        )
      })
  }
})

interface Resting<Input, Output> {
  readonly hand: Hand<Input, Output>
  /** Ends the worker when it has been idle for too long. */
  readonly bedtime: Fiber.Fiber<void>
}
