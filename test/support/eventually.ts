import { Data, Effect, Schedule } from "effect"

/** It did not come to be so; `seen` is what was seen last. */
export class NeverSo extends Data.TaggedError("NeverSo")<{ readonly seen: unknown }> {}

/** Looks again and again until what it sees is so, and gives that; fails when it is not so within two minutes. */
export const eventually = <A, E, R>(
  look: Effect.Effect<A, E, R>,
  isSo: (seen: A) => boolean
): Effect.Effect<A, E | NeverSo, R> =>
  look.pipe(
    Effect.filterOrFail(isSo, (seen) => new NeverSo({ seen })),
    Effect.retry({
      schedule: Schedule.spaced("50 millis").pipe(Schedule.upTo({ times: LOOKS })),
      while: (error) => error instanceof NeverSo
    })
  )

const LOOKS = 2_400

/** Waits until something holds. */
export const eventuallyHolds = <E, R>(condition: Effect.Effect<boolean, E, R>): Effect.Effect<void, E | NeverSo, R> =>
  Effect.asVoid(eventually(condition, (holds) => holds))
