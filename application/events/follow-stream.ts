import { Effect } from "effect"
import type { Aggregate } from "../../domain/events/aggregates.ts"
import { EventStoreError } from "../../ports/event-store.ts"
import { load, type Loaded } from "./handle-command.ts"

/** The time limit of a read. Requests wait for it also while the event store is away. */
const READ_TIMEOUT = "1 second"

/**
 * Makes an effect that returns the state of a stream and reads only the new events at each run, so that every process
 * knows a change at its next request. While the event store is unavailable it returns the state that this process read
 * last, and undefined when there is none.
 */
export const makeFollower = <Command, State, Event, Rejection>(
  aggregate: Aggregate<Command, State, Event, Rejection>,
  stream: string
) =>
  Effect.sync(() => {
    let known: Loaded<State> | undefined
    return Effect.suspend(() => load(aggregate, stream, known)).pipe(
      Effect.timeout(READ_TIMEOUT),
      Effect.match({
        onSuccess: (loaded): State | undefined => {
          // A slower read of another request must not bring an older state back.
          if (known === undefined || loaded.revision >= known.revision) known = loaded
          return known.state
        },
        onFailure: () => known?.state
      })
    )
  })

/** The state of a follower. Fails while the event store is unavailable and this process has not read the stream yet. */
export const requireKnown = <State, E, R>(follower: Effect.Effect<State | undefined, E, R>) =>
  Effect.filterOrFail(
    follower,
    (state) => state !== undefined,
    () => new EventStoreError({ operation: "readStream", reason: "unavailable" })
  )
