import { Clock, Effect, Layer } from "effect"

/** A clock that starts at a moment and runs. A test can move it forward; delays stay real. */
export interface ShiftedClock {
  readonly layer: Layer.Layer<never>
  readonly advance: (millis: number) => void
}

/** `startsAt` in milliseconds since 1970. */
export const makeShiftedClock = (startsAt: number): Effect.Effect<ShiftedClock> =>
  Effect.map(Clock.Clock, (real) => {
    let shift = startsAt - real.currentTimeMillisUnsafe()
    const now = (): number => real.currentTimeMillisUnsafe() + shift
    const clock: Clock.Clock = Object.assign(Object.create(real), {
      currentTimeMillisUnsafe: now,
      currentTimeMillis: Effect.sync(now)
    })
    return { layer: Layer.succeed(Clock.Clock, clock), advance: (millis) => void (shift += millis) }
  })
