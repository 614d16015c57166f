import { Data, Effect, Schedule } from "effect"

/** The condition did not hold in time; `last` is the last value. */
export class ConditionNotMet extends Data.TaggedError("ConditionNotMet")<{ readonly last: unknown }> {}

/** At 50 milliseconds each: two minutes. */
const READS = 2_400

/**
 * Reads a value until the predicate holds, and returns it. Fails after two minutes. A `TypeError` means that the value has
 * another shape: on a busy machine a store may not answer in time, and then an answer has an error and no data.
 */
export const eventually = <A, E, R>(
  read: Effect.Effect<A, E, R>,
  predicate: (value: A) => boolean
): Effect.Effect<A, E | ConditionNotMet, R> =>
  read.pipe(
    Effect.flatMap((last) =>
      Effect.suspend(() => predicate(last) ? Effect.succeed(last) : Effect.fail(new ConditionNotMet({ last })))
    ),
    Effect.catchDefect((last) =>
      last instanceof TypeError ? Effect.fail(new ConditionNotMet({ last })) : Effect.die(last)
    ),
    Effect.retry({
      schedule: Schedule.spaced("50 millis").pipe(Schedule.upTo({ times: READS })),
      while: (error) => error instanceof ConditionNotMet
    })
  )

/** Waits until a condition holds. */
export const eventuallyHolds = <E, R>(
  condition: Effect.Effect<boolean, E, R>
): Effect.Effect<void, E | ConditionNotMet, R> => Effect.asVoid(eventually(condition, (holds) => holds))
