import { Clock, Effect } from "effect"
import type { Aggregate } from "../../domain/events/aggregates.ts"
import { type CommandContext, handleCommand } from "../events/handle-command.ts"
import { branchesModel } from "../../projections/models/branches.ts"
import { type ModelId, modelName } from "../../projections/engine/model-name.ts"
import type { Actor } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { Callers } from "./callers.ts"

/** Who operates: an administrator through HTTP or the command line, or the service itself at its first start. */
export interface Operation {
  readonly actor: Actor
  readonly correlationId: string
}

const VISIBLE_WITHIN_MILLIS = 2_000

/** The context of one command of an operation. */
export const contextOf = Effect.fnUntraced(function* (operation: Operation) {
  const context: CommandContext = {
    ...operation,
    commandId: (yield* Identifiers).random(),
    at: yield* Clock.currentTimeMillis
  }
  return context
})

/** Commands an aggregate on behalf of an operator. */
export const operate = Effect.fnUntraced(function* <
  Command,
  State,
  Event extends { readonly _tag: string },
  Rejection extends { readonly _tag: string }
>(
  aggregate: Aggregate<Command, State, Event, Rejection>,
  stream: string,
  command: Command,
  operation: Operation
) {
  return yield* handleCommand(aggregate, stream, command, yield* contextOf(operation))
})

/**
 * Waits until what was just changed shows in a read model, so that the next look at it finds it. A change that does not
 * show in time is made all the same: it is in the log.
 */
export const visibleIn = Effect.fnUntraced(function* (model: ModelId) {
  const models = yield* ReadModels
  const { head } = yield* EventStore
  yield* Effect.flatMap(head, (end) => models.awaitPosition(modelName(model), end, VISIBLE_WITHIN_MILLIS)).pipe(
    Effect.catch((error) => Effect.logWarning("the change is made but does not show yet", error))
  )
})

/** The same for who may call, under which rules: the operator's next look, and the next request with a new key. */
export const visible = Effect.gen(function* () {
  yield* visibleIn(branchesModel)
  yield* (yield* Callers).forget
})

/** What a change that was just made has led to: it is asked for once requests see the change too. */
export const shown = <A, E, R, Missing>(find: Effect.Effect<A | undefined, E, R>, missing: () => Missing) =>
  Effect.andThen(visible, find).pipe(
    Effect.filterOrFail((found) => found !== undefined, missing)
  )
