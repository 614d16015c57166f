import { Effect } from "effect"
import type { Aggregate } from "../../domain/events/aggregates.ts"
import { EventStoreError } from "../../ports/event-store.ts"
import { load, type Loaded } from "./handle-command.ts"

/** The time limit of a read. Requests wait for it also while the event store is away. */
const READ_TIMEOUT = "1 second"

/**
 * Makes an effect that returns the state of a stream and reads only the new events at each run, so that every process
 * knows a change at its next request. While the stream cannot be read it returns the state that this process read last,
 * and fails when there is none. The service logs when that begins and ends: a removed role then stays in force.
 */
export const makeFollower = <Command, State, Event, Rejection>(
  aggregate: Aggregate<Command, State, Event, Rejection>,
  stream: string
) =>
  Effect.sync(() => {
    let known: Loaded<State> | undefined
    let isFailing = false

    const onFailure = Effect.fnUntraced(function* (error: EventStoreError) {
      if (!isFailing) {
        isFailing = true
        yield* Effect.logWarning(`The stream ${stream} cannot be read: what was read last stays in force`, error)
      }
      return known === undefined ? yield* error : known.state
    })

    const onSuccess = Effect.fnUntraced(function* (loaded: Loaded<State>) {
      // A slower read of another request must not bring an older state back.
      const newest = known === undefined || loaded.revision >= known.revision ? loaded : known
      known = newest
      if (isFailing) {
        isFailing = false
        yield* Effect.logInfo(`The stream ${stream} is read again`)
      }
      return newest.state
    })

    return Effect.suspend(() => load(aggregate, stream, known)).pipe(
      Effect.timeoutOrElse({
        duration: READ_TIMEOUT,
        orElse: () => Effect.fail(new EventStoreError({ operation: "readStream", reason: "timeout" }))
      }),
      Effect.matchEffect({ onFailure, onSuccess })
    )
  })

/** The state of a follower; undefined while the stream cannot be read and this process has not read it yet. */
export const ifKnown = <State, R>(
  follower: Effect.Effect<State, EventStoreError, R>
): Effect.Effect<State | undefined, never, R> => Effect.orElseSucceed(follower, () => undefined)
