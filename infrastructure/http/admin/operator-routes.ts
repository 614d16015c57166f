import { Effect, Layer } from "effect"
import { endSession, listSessions, makeEndedSessions } from "../../../application/operators/console-sessions.ts"
import {
  addOperator,
  endOperatorSessions,
  issueOperatorToken,
  operatorViews,
  removeOperator,
  setOperatorRole
} from "../../../application/operators/operators.ts"
import { acts, isAllowed } from "../../../domain/permissions.ts"
import { adminOperations as operations } from "../../api/operations/admin.ts"
import type { AdminAuth } from "../admin-auth.ts"
import type { AdminRoute } from "./admin-route.ts"

/** Operators and their sessions of the console. */
export const operatorRoutes = (route: AdminRoute, { hasOtherAdmin, operators }: AdminAuth) =>
  Layer.unwrap(Effect.map(makeEndedSessions, (endedSessions) =>
    Layer.mergeAll(
      route(operations.getMe, ({ operator: { name, role } }) =>
        Effect.succeed({ name, role, may: acts.filter((act) => isAllowed(role, act)) })),
      route(operations.listOperators, () =>
        Effect.map(operators, operatorViews)),
      route(operations.addOperator, ({ body, operation }) => addOperator(body, operation)),
      route(
        operations.setOperatorRole,
        ({ body: { role }, operation, params: { name } }) => setOperatorRole({ name, role, hasOtherAdmin }, operation)
      ),
      route(
        operations.issueOperatorToken,
        ({ operation, params: { name } }) => issueOperatorToken(name, operation)
      ),
      route(
        operations.removeOperator,
        ({ operation, params: { name } }) => removeOperator({ name, hasOtherAdmin }, operation)
      ),
      route(
        operations.endOperatorSessions,
        Effect.fnUntraced(function* ({ operation, params }) {
          const operator = yield* endOperatorSessions(yield* operators, params.name, operation)
          return { operator }
        })
      ),
      route(
        operations.listSessions,
        Effect.fnUntraced(function* ({ page, query: { operator } }) {
          const state = { ended: yield* endedSessions, operators: yield* operators }
          return yield* listSessions(state, { ...page, operator })
        })
      ),
      route(operations.endSession, ({ id, operation }) => Effect.as(endSession(id, operation), { id }))
    )))
