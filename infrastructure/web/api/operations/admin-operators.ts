import { acts, isAllowed } from "../../../../domain/permissions.ts"
import { OperatorRequest, RoleRequest, SessionQuery } from "../requests/operators.ts"
import type { V2Code } from "../failures.ts"
import type { Operation } from "../operation.ts"
import * as responses from "../responses/operators.ts"
import { ids } from "../examples.ts"
import { createdAt } from "./admin-examples.ts"
import {
  adminCodes,
  body,
  codesWithBoth,
  codesWithId,
  codesWithInput,
  created,
  page,
  success
} from "./admin-operation.ts"
import { operationsOf } from "./declare.ts"

const { get, post } = operationsOf("Operators")
const name = { description: "The name of the operator, in any case.", example: "nok" }

const operator = { name: "nok", role: "support", addedAt: createdAt } as const
const withToken = { ...operator, token: "slt_Zx0a1cQm9n3vK7wR2tYb5dHf8gJk4lPq6sUo1iEaXyM" }
const me = { name: "nok", role: "support", may: acts.filter((act) => isAllowed("support", act)) }
const session = {
  id: ids.request,
  operator: "nok",
  role: "support",
  source: "token",
  startedAt: createdAt,
  expiresAt: createdAt
}

/** Operators and their sessions of the console (docs/spec/http.md, "Admin API"). */
export const operators = {
  getMe: get("/admin/v1/me", {
    summary: "Who the token belongs to, and what its role may do",
    description: "For the token of an operator and for `ADMIN_TOKEN`.",
    success: success(responses.Me, "You", me),
    codes: adminCodes
  }),
  listOperators: get("/admin/v1/operators", {
    summary: "All operators",
    description: "In the order in which they were added, without those that were removed.",
    success: success(responses.Operators, "Operators", [operator]),
    codes: adminCodes
  }),
  addOperator: post("/admin/v1/operators", {
    summary: "Add an operator",
    description: "The token is shown this once.",
    body: body(OperatorRequest, { name: "nok", role: "support" }),
    success: created(responses.OperatorWithToken, "Operator added; the token is shown this once", withToken),
    codes: codesWithInput
  }),
  setOperatorRole: post("/admin/v1/operators/:name/role", {
    summary: "Change the role of an operator",
    description:
      "Counts from the operator's next request on. Refused for the last administrator without `ADMIN_TOKEN`.",
    params: { name },
    body: body(RoleRequest, { role: "support" }),
    success: success(responses.Operator, "Role changed", operator),
    codes: codesWithBoth
  }),
  issueOperatorToken: post("/admin/v1/operators/:name/token", {
    summary: "Issue a new token",
    description: "The old token and the operator's sessions stop at once. The new token is shown this once.",
    params: { name },
    success: success(responses.OperatorWithToken, "Token issued; it is shown this once", withToken),
    codes: codesWithId
  }),
  removeOperator: post("/admin/v1/operators/:name/remove", {
    summary: "Remove an operator",
    description:
      "Token, sessions, and the sign-in links that the operator made and no device redeemed, stop at once. Refused for the last administrator without `ADMIN_TOKEN`.",
    params: { name },
    success: success(responses.Operator, "Operator removed", operator),
    codes: codesWithBoth
  }),
  endOperatorSessions: post("/admin/v1/operators/:name/end-sessions", {
    summary: "End all sessions of an operator",
    description: "Also of a name that is not in the list of operators. The token stays valid.",
    params: { name },
    success: success(responses.SessionsEnded, "Sessions ended", { operator: "nok" }),
    codes: adminCodes
  }),
  listSessions: get("/admin/v1/sessions", {
    summary: "Open sessions of the console",
    description: "Those that expire last first. A page can have fewer than `limit` entries while there is a next page.",
    query: SessionQuery,
    isPaged: true,
    success: page(responses.Session, "Sessions", session),
    codes: codesWithInput
  }),
  endSession: post("/admin/v1/sessions/:id/end", {
    summary: "End a session",
    description: "Changes nothing when it has ended already.",
    success: success(responses.SessionEnded, "Session ended", { id: ids.request }),
    codes: codesWithId
  })
} as const satisfies Record<string, Operation<V2Code>>
