import { Cause, Duration, Effect, Pull, Schedule } from "effect"
import { MAX_STATED_WAIT_MILLIS } from "../../domain/waits.ts"

/** The delays between attempts: the n-th delay follows the n-th failure; after the last one the process ends. */
export type RetrySchedule = Schedule.Schedule<unknown>

/** A schedule of these delays. `Schedule.jittered` makes each delay up to 20 % shorter or longer. */
export const retrySchedule = (delays: ReadonlyArray<Duration.Input>): RetrySchedule =>
  Schedule.fromStepWithMetadata(Effect.succeed(({ attempt }: Schedule.InputMetadata<unknown>) => {
    const delay = delays[attempt - 1]
    return delay === undefined
      ? Cause.done()
      : Effect.succeed<[number, Duration.Duration]>([attempt, Duration.fromInputUnsafe(delay)])
  }))

/**
 * The delay after the n-th failure, n from 1; undefined when the schedule is exhausted. `atLeast` is the
 * shortest delay. The count of failures is in the log, so the schedule is stepped from the start each time.
 */
export const delayAfter = Effect.fnUntraced(function* (
  schedule: RetrySchedule,
  failure: number,
  atLeast: Duration.Duration = Duration.zero
) {
  const step = yield* Schedule.toStep(schedule)
  let elapsed = 0
  let delay: Duration.Duration | undefined
  for (let n = 0; n < failure; n++) {
    delay = yield* step(elapsed, undefined).pipe(
      Effect.map(([, next]) => next),
      Pull.catchDone(() => Effect.undefined)
    )
    if (delay === undefined) return undefined
    elapsed += Duration.toMillis(delay)
  }
  return delay === undefined ? undefined : Duration.max(delay, atLeast)
})

/** The share by which `Schedule.jittered` makes a delay longer. */
const JITTER = 0.2

/** The longest time, in milliseconds, from the outcome of an attempt to the next one. A bank or a receiver may state it. */
export const longestWait = (delays: ReadonlyArray<Duration.Input>): number =>
  Math.max(
    MAX_STATED_WAIT_MILLIS,
    ...delays.map((delay) => Duration.toMillis(Duration.fromInputUnsafe(delay)) * (1 + JITTER))
  )
  + ROUNDING_MILLIS

/** A pending slip is asked about one second after its window. */
const ROUNDING_MILLIS = 2_000
