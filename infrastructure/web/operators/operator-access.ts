import { Context, type Effect } from "effect"
import type { ConsoleSessionsState } from "../../../domain/console-sessions.ts"
import type { OperatorsState } from "../../../domain/operators.ts"
import type { EventStore, EventStoreError } from "../../../ports/event-store.ts"

/**
 * Who may come in, as this process knows it.
 *
 * @effect-expect-leaking EventStore
 */
export class OperatorAccess extends Context.Service<OperatorAccess, {
  readonly operators: Effect.Effect<OperatorsState, EventStoreError, EventStore>
  readonly endedSessions: Effect.Effect<ConsoleSessionsState, EventStoreError, EventStore>
  /** Whether an administrator can come in without being an operator. */
  readonly hasOtherAdmin: boolean
}>()("sliptrail/operators/OperatorAccess") {}
