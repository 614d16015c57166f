import { Clock, Context, Effect } from "effect"
import type { Aggregate } from "../../domain/events/aggregates.ts"
import { type CommandContext, handleCommand, type Loaded, type RequestIds } from "../events/handle-command.ts"
import { isoTime } from "../../domain/time.ts"
import { branchesModel } from "../../projections/models/branches.ts"
import { type ModelId, modelName } from "../../projections/engine/model-name.ts"
import { EventStore } from "../../ports/event-store.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { Callers } from "./callers.ts"

const VISIBLE_TIMEOUT_MILLIS = 2_000

/** The context of one command of an operation. */
export const contextOf = Effect.fnUntraced(function* (ids: RequestIds) {
  return {
    ...ids,
    commandId: (yield* Identifiers).newId(),
    at: yield* Clock.currentTimeMillis
  } satisfies CommandContext
})

/** Handles one command of an operation, made from its time. `known` is the loaded stream, if it was loaded. */
export const handleOperatorCommand = Effect.fnUntraced(function* <
  Command,
  State,
  Event extends { readonly _tag: string },
  Rejection extends { readonly _tag: string }
>(
  aggregate: Aggregate<Command, State, Event, Rejection>,
  stream: string,
  commandAt: (at: string) => NoInfer<Command>,
  ids: RequestIds,
  known?: Loaded<State>
) {
  const context = yield* contextOf(ids)
  return yield* handleCommand(aggregate, stream, commandAt(isoTime(context.at)), context, known)
})

/** Runs when a change is in the log, but a read model has not applied it in time. */
const OnNotVisible = Context.Reference<Effect.Effect<void>>("sliptrail/application/OnNotVisible", {
  defaultValue: () => Effect.void
})

/** Runs a change, and returns with its result whether requests already see it. */
export const withVisibility = <A, E, R>(change: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    let isVisible = true
    const notVisible = Effect.sync(() => {
      isVisible = false
    })
    return Effect.map(Effect.provideService(change, OnNotVisible, notVisible), (value) => ({ value, isVisible }))
  })

/**
 * Waits until a read model has applied the whole log, so that the next read of it shows the change. Succeeds also after
 * the timeout, because the change is in the log: `withVisibility` returns that.
 */
export const awaitVisibleIn = Effect.fnUntraced(function* (model: ModelId) {
  const models = yield* ReadModels
  const { head } = yield* EventStore
  yield* Effect.flatMap(head, (end) => models.awaitPosition(modelName(model), end, VISIBLE_TIMEOUT_MILLIS)).pipe(
    Effect.catch((error) =>
      Effect.andThen(
        Effect.logWarning("The change is in the log, but not yet in the read model", error),
        Effect.flatMap(OnNotVisible, (notVisible) => notVisible)
      )
    )
  )
})

/** Waits until requests of callers see the change: the read model has applied it and cached callers are removed. */
export const awaitVisibleToRequests = Effect.gen(function* () {
  yield* awaitVisibleIn(branchesModel)
  yield* (yield* Callers).refresh
})

/** Reads a changed record after the change has become visible to requests. */
export const readWhenVisible = <A, E, R, Missing>(find: Effect.Effect<A | undefined, E, R>, missing: () => Missing) =>
  Effect.andThen(awaitVisibleToRequests, find).pipe(
    Effect.filterOrFail((found) => found !== undefined, missing)
  )
