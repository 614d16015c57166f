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
  addOperator: ({ body, ids }) => addOperator(body, ids),
  setOperatorRole: Effect.fnUntraced(function* ({ body: { role }, ids, params: { name } }) {
    const { hasOtherAdmin } = yield* OperatorAccess
    return yield* setOperatorRole({ name, role, hasOtherAdmin }, ids)
  }),
  issueOperatorToken: ({ ids, params: { name } }) => issueOperatorToken(name, ids),
  removeOperator: Effect.fnUntraced(function* ({ ids, params: { name } }) {
    const { hasOtherAdmin } = yield* OperatorAccess
    return yield* removeOperator({ name, hasOtherAdmin }, ids)
  }),
  endOperatorSessions: Effect.fnUntraced(function* ({ ids, params: { name } }) {
    return { operator: yield* endOperatorSessions(yield* (yield* OperatorAccess).operators, name, ids) }
  }),
  listSessions: Effect.fnUntraced(function* ({ page, query: { operator } }) {
    const { endedSessions, operators } = yield* OperatorAccess
    return yield* listSessions({ ended: yield* endedSessions, operators: yield* operators }, { ...page, operator })
  }),
  endSession: ({ id, ids }) => Effect.as(endSession(id, ids), { id })
} satisfies HandlersOf<typeof declared.operators>
