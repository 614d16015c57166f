import { Clock, Data, Effect } from "effect"
import { Claims } from "../../ports/claims.ts"
import { EventStoreError } from "../../ports/event-store.ts"
import { continueTraces, type Origin } from "../../ports/tracing.ts"
import type { ProcessName } from "./work-notifier.ts"

/** One step of a process: one attempt to verify a job, or to deliver a callback. */
export interface Step {
  readonly jobId: string
  /** Milliseconds since 1970. */
  readonly dueAt: number
  /** The number of the attempt in the log, from 1. */
  readonly attempt: number
  /** Which delay of the retry schedule follows a failure, from 1. */
  readonly retry: number
}

/**
 * A process manager: the next step as a pure function of the events so far. The driver performs one step, appends its
 * outcome and computes the next step. Due times are in the log, so no timer has to survive a crash.
 */
export interface ProcessManager<in State, out Next extends Step> {
  /** The next step; undefined when there is none, or while a step is in flight. */
  readonly react: (state: State) => Next | undefined
  /** The next step for a driver that has won the claim. A step in flight without an outcome is due again at once. */
  readonly resume: (state: State) => Next | undefined
  /** True when nothing more is due, unless a new command arrives. */
  readonly isTerminal: (state: State) => boolean
}

/** The driver interrupted the step, because another worker may claim it from now on. */
export class StepTookTooLong extends Data.TaggedError("StepTookTooLong")<{ readonly millis: number }> {}

/** Runs an effect under a claim, or does nothing when another worker holds it or may hold it. Ends before the claim expires. */
export const underClaim = Effect.fnUntraced(function* <E, R>(
  name: string,
  forMillis: number,
  run: Effect.Effect<void, E, R>
) {
  const { claim, release } = yield* Claims
  const runInTime = Effect.timeoutOrElse(run, {
    duration: forMillis,
    orElse: () => Effect.fail(new StepTookTooLong({ millis: forMillis }))
  })
  return yield* Effect.acquireUseRelease(
    Effect.orElseSucceed(claim(name, forMillis), () => false),
    (hasClaim) => hasClaim ? runInTime : Effect.void,
    (hasClaim) => hasClaim ? release(name) : Effect.void
  )
})

/**
 * Appends the outcome of a step and retries while the store is unavailable, because only this worker has the outcome.
 * Fails after `forMillis`, when the claim ends. Each try has the same event ids, so the append commits once. It can be
 * interrupted only between two tries.
 */
export const appendWithRetry = Effect.fnUntraced(
  function* <A, E, R>(append: Effect.Effect<A, E, R>, forMillis: number) {
    const end = (yield* Clock.currentTimeMillis) + forMillis
    for (let pause = FIRST_PAUSE_MILLIS;; pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS)) {
      const exit = yield* Effect.exit(Effect.uninterruptible(append))
      if (exit._tag === "Success") return exit.value
      const isOver = (yield* Clock.currentTimeMillis) + pause >= end
      if (isOver || !isRetryable(exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error)) return yield* exit
      yield* Effect.sleep(pause)
    }
  }
)

const isRetryable = (error: unknown): boolean => error instanceof EventStoreError

const FIRST_PAUSE_MILLIS = 100
const LONGEST_PAUSE_MILLIS = 1_000

/** Performs a step in the trace of the request that caused it. */
export const tracedStep = <A, E, R>(
  process: ProcessName,
  { attempt, jobId }: Step,
  origin: Origin | undefined,
  perform: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  continueTraces(() => ({
    name: `process ${process}`,
    origins: origin === undefined ? [] : [origin],
    attributes: {
      "messaging.system": "sliptrail",
      "messaging.operation.name": "process",
      "messaging.operation.type": "process",
      "messaging.destination.name": process,
      "sliptrail.job.id": jobId,
      "sliptrail.attempt": attempt
    }
  }), perform)
