import { Effect, Schedule } from "effect"
import { EventStoreError } from "../../ports/event-store.ts"
import { ReadModelsError } from "../../ports/read-models.ts"

/** Whether an engine may answer the next time: it was unavailable, or did not answer in time. */
export const isTransient = (error: unknown): boolean =>
  (error instanceof ReadModelsError || error instanceof EventStoreError)
  && (error.reason === "unavailable" || error.reason === "timeout")

/** Retries a step that is safe to repeat: a short failure of an engine must not end long work. */
export const withRetries = <A, E, R>(step: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(step, { schedule: backoff, while: isTransient })

/** About ten seconds in all. */
const backoff = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("2 seconds")]).pipe(
  Schedule.upTo({ times: 10 })
)
