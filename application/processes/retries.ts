import { Cause, Duration, Effect, Pull, Schedule } from "effect"

/** When a step that failed is tried again: the n-th delay follows the n-th failure, after the last one it is over. */
export type RetrySchedule = Schedule.Schedule<unknown>

/** A schedule of these delays, one after the other; `Schedule.jittered` makes each up to 20 % shorter or longer. */
export const retrySchedule = (delays: ReadonlyArray<Duration.Input>): RetrySchedule =>
  Schedule.fromStepWithMetadata(Effect.succeed(({ attempt }: Schedule.InputMetadata<unknown>) => {
    const delay = delays[attempt - 1]
    return delay === undefined
      ? Cause.done()
      : Effect.succeed<[number, Duration.Duration]>([attempt, Duration.fromInputUnsafe(delay)])
  }))

/**
 * The delay after the n-th failure, n from 1; undefined when the schedule is exhausted. `atLeast` makes it no shorter
 * than that. A schedule lives in memory and the count of failures in the log: it is stepped anew up to there each time.
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
