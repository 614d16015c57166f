import { Clock, Effect } from "effect"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import { TraceContinuation } from "../../ports/tracing.ts"
import { looksAt, type Projection } from "./projection.ts"

/**
 * Applies a batch in the traces of the requests that its events go back to. Events of old stand in none: they are looked
 * at because a model is built anew, and nobody waits for that.
 */
export const tracedBatch = <A, E, R>(
  projection: Projection,
  events: ReadonlyArray<RecordedEvent>,
  apply: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(
    TraceContinuation,
    (go) =>
      go === undefined ? apply : Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const origins = events.filter(({ recordedAt, stream }) =>
          now - recordedAt < lateMillis && looksAt(projection, stream)
        )
        return go({
          name: `project ${projection.name}`,
          origins,
          attributes: {
            "messaging.system": "sliptrail",
            "messaging.operation.name": "project",
            "messaging.operation.type": "process",
            "messaging.destination.name": projection.name,
            "messaging.batch.message_count": origins.length
          }
        })(apply)
      })
  )

const lateMillis = 600_000
