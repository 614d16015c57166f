import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { OperatorView, OperatorWithToken } from "../../../application/operators/operators.ts"
import { OperatorRole } from "../../../domain/operators.ts"
import { jsonFlag } from "./flags.ts"
import { runChange, runCreate, runRead } from "./operation.ts"
import { log } from "./operator-log.ts"
import { endSession, endSessions, me, sessions } from "./operator-sessions.ts"
import { type Columns, fieldsBy, note, print, printFields, printRows } from "./output.ts"

const name = Argument.String("name").pipe(Argument.withDescription("Name of the operator"))
/** The name of an operator has no flag. */
const args = ["name"]

const role = Flag.Literals("role", OperatorRole.literals).pipe(
  Flag.withDescription("admin: everything; support: reads, and sends callbacks again; auditor: reads and discloses")
)

const columns: Columns<OperatorView> = { name: "name", role: "role", added: "addedAt" }

const printWithToken = (json: boolean, operator: OperatorWithToken) =>
  Effect.andThen(
    print(json, operator, (operator) => printFields([...fieldsBy(columns, operator), ["token", operator.token]])),
    note("Save the token now: it is not shown again.")
  )

const add = Command.make(
  "add",
  { name, role, json: jsonFlag },
  Effect.fnUntraced(function* ({ json, name, role }) {
    yield* printWithToken(json, yield* runCreate({ name: "addOperator", body: { name, role }, args }))
  })
).pipe(Command.withDescription("Add an operator, and print the token of the operator once"))

const list = Command.make(
  "list",
  { json: jsonFlag },
  Effect.fnUntraced(function* ({ json }) {
    const views = yield* runRead({ name: "listOperators" })
    yield* print(
      json,
      views,
      () =>
        views.length === 0
          ? note("There is no operator yet. Add one with: sliptrail operator add NAME --role admin")
          : printRows(columns, views)
    )
  })
).pipe(Command.withDescription("List the operators"))

const setRole = Command.make(
  "set-role",
  { name, role, json: jsonFlag },
  Effect.fnUntraced(function* ({ json, name, role }) {
    const operator = yield* runChange({ name: "setOperatorRole", params: { name }, body: { role }, args })
    yield* print(json, operator, (operator) => printFields(fieldsBy(columns, operator)))
  })
).pipe(Command.withDescription("Change the role of an operator"))

const newToken = Command.make(
  "new-token",
  { name, json: jsonFlag },
  Effect.fnUntraced(function* ({ json, name }) {
    yield* printWithToken(json, yield* runChange({ name: "issueOperatorToken", params: { name }, args }))
  })
).pipe(Command.withDescription("Issue a new token, and print it once; the old token and its sessions stop at once"))

const remove = Command.make(
  "remove",
  { name, json: jsonFlag },
  Effect.fnUntraced(function* ({ json, name }) {
    const operator = yield* runChange({ name: "removeOperator", params: { name }, args })
    yield* print(json, operator, ({ name }) => printFields([["removed", name]]))
  })
).pipe(Command.withDescription("Remove an operator: token and sessions stop at once"))

export const operator = Command.make("operator").pipe(
  Command.withDescription("Operators: who may use the admin API and the console, and what for"),
  Command.withSubcommands([add, list, setRole, newToken, remove, log, me, sessions, endSession, endSessions])
)
