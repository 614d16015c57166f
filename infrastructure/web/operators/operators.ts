import { Effect } from "effect"
import { endSession, listSessions } from "../../../application/operators/console-sessions.ts"
import {
  addOperator,
  endOperatorSessions,
  issueOperatorToken,
  operatorViews,
  removeOperator,
  setOperatorRole
} from "../../../application/operators/operators.ts"
import { acts, isAllowed } from "../../../domain/permissions.ts"
import type * as declared from "../api/operations/admin-operators.ts"
import type { HandlersOf } from "./handler.ts"
import { OperatorAccess } from "./operator-access.ts"

/** Operators and their sessions of the console. */
export const operators = {
  getMe: ({ operator: { name, role } }) =>
    Effect.succeed({ name, role, may: acts.filter((act) => isAllowed(role, act)) }),
  listOperators: Effect.fnUntraced(function* () {
    return operatorViews(yield* (yield* OperatorAccess).operators)
  }),
  addOperator: ({ body, operation }) => addOperator(body, operation),
  setOperatorRole: Effect.fnUntraced(function* ({ body: { role }, operation, params: { name } }) {
    const { hasOtherAdmin } = yield* OperatorAccess
    return yield* setOperatorRole({ name, role, hasOtherAdmin }, operation)
  }),
  issueOperatorToken: ({ operation, params: { name } }) => issueOperatorToken(name, operation),
  removeOperator: Effect.fnUntraced(function* ({ operation, params: { name } }) {
    const { hasOtherAdmin } = yield* OperatorAccess
    return yield* removeOperator({ name, hasOtherAdmin }, operation)
  }),
  endOperatorSessions: Effect.fnUntraced(function* ({ operation, params: { name } }) {
    return { operator: yield* endOperatorSessions(yield* (yield* OperatorAccess).operators, name, operation) }
  }),
  listSessions: Effect.fnUntraced(function* ({ page, query: { operator } }) {
    const { endedSessions, operators } = yield* OperatorAccess
    return yield* listSessions({ ended: yield* endedSessions, operators: yield* operators }, { ...page, operator })
  }),
  endSession: ({ id, operation }) => Effect.as(endSession(id, operation), { id })
} satisfies HandlersOf<typeof declared.operators>
