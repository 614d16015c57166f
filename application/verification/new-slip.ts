import { Effect } from "effect"
import { slips } from "../../domain/events/aggregates.ts"
import type { SlipState } from "../../domain/slip/slip.ts"
import type { EventStoreError } from "../../ports/event-store.ts"
import type { AskNewStreams, SlipStream } from "../../ports/new-streams.ts"
import type { Loaded } from "../events/handle-command.ts"
import { failStreamChanged } from "../events/stream-changed.ts"

const noEvents: Loaded<SlipState> = { state: slips.decider.initialState, revision: -1 }

/**
 * Verifies a slip from its loaded state, or without reading its stream when it is probably new. Fails with `corrupt` when the
 * read models know a slip whose stream is empty: an operator of the event store deleted it, and it would count as new.
 */
export const verifyByNovelty = <A, E extends { readonly _tag: string }, R, R2>(
  newStreams: AskNewStreams,
  slip: SlipStream,
  load: Effect.Effect<Loaded<SlipState>, EventStoreError, R2>,
  verifyFrom: (loaded: Loaded<SlipState>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | EventStoreError, R | R2> => {
  // A failure counts only if the slip is new: a known slip needs no bank and may need no quota unit.
  const verifyNew = Effect.catchIf(
    verifyFrom(noEvents),
    ({ _tag }) => _tag !== "EventStoreError" && _tag !== "WrongExpectedRevision",
    (error) =>
      Effect.flatMap(
        load,
        (loaded) => loaded.revision === noEvents.revision ? Effect.fail(error) : verifyFrom(loaded)
      )
  )
  const loadKnown = Effect.tap(
    load,
    ({ revision }) =>
      revision === noEvents.revision
        ? failStreamChanged(
          "readStream",
          `${slip.stream} is empty in the event store, and the read models have its slip`
        )
        : Effect.void
  )
  return newStreams.of(slip).pipe(
    Effect.flatMap((novelty) =>
      novelty === "probably-new" ? verifyNew : Effect.flatMap(novelty === "known" ? loadKnown : load, verifyFrom)
    ),
    Effect.tap(() => Effect.sync(() => newStreams.hasEvents(slip)))
  )
}
