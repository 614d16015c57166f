import { Effect, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { load } from "../../application/events/handle-command.ts"
import {
  addOperator,
  issueOperatorToken,
  type OperatorView,
  operatorViews,
  type OperatorWithToken,
  removeOperator,
  setOperatorRole
} from "../../application/operators/operators.ts"
import { operators, streamOf } from "../../domain/events/aggregates.ts"
import { OperatorRole } from "../../domain/operators.ts"
import { decodeOperator } from "../input/operator-account-requests.ts"
import { grantsAdmin, readOidcClient } from "../settings/oidc-client.ts"
import { readSettings } from "../settings/settings.ts"
import { decodeFlags, jsonFlag } from "./flags.ts"
import { runChange, runCreate, runRead } from "./operation.ts"
import { log } from "./operator-log.ts"
import { endSession, endSessions, me, sessions } from "./operator-sessions.ts"
import { type Field, note, print, printFields, printTable } from "./output.ts"

const name = Argument.String("name").pipe(Argument.withDescription("Name of the operator"))
/** The name of an operator has no flag. */
const args = ["name"]

const role = Flag.Literals("role", OperatorRole.literals).pipe(
  Flag.withDescription("admin: everything; support: reads, and sends callbacks again; auditor: reads and discloses")
)

const fieldsOf = ({ addedAt, name, role }: OperatorView): ReadonlyArray<Field> => [
  ["name", name],
  ["role", role],
  ["added", addedAt]
]

const printWithToken = (json: boolean, operator: OperatorWithToken) =>
  Effect.andThen(
    print(json, operator, (operator) => printFields([...fieldsOf(operator), ["token", operator.token]])),
    note("Save the token now: it is not shown again.")
  )

/** Whether an administrator can sign in without being an operator. */
const hasOtherAdmin = Effect.map(readSettings, (settings) => {
  const oidc = Result.getOrUndefined(readOidcClient(settings))
  return settings.adminToken !== undefined || oidc !== undefined && grantsAdmin(oidc)
})

const add = Command.make(
  "add",
  { name, role, json: jsonFlag },
  Effect.fnUntraced(function* ({ json, name, role }) {
    const operator = yield* decodeFlags(decodeOperator, { name, role }, args)
    const added = yield* runCreate(
      { name: "addOperator", body: operator, args },
      (operation) => addOperator(operator, operation)
    )
    yield* printWithToken(json, added)
  })
).pipe(Command.withDescription("Add an operator, and print the token of the operator once"))

const list = Command.make(
  "list",
  { json: jsonFlag },
  Effect.fnUntraced(function* ({ json }) {
    const views = yield* runRead(
      { name: "listOperators" },
      Effect.map(load(operators, streamOf.operators()), ({ state }) => operatorViews(state))
    )
    yield* print(
      json,
      views,
      () =>
        views.length === 0
          ? note("There is no operator yet. Add one with: sliptrail operator add NAME --role admin")
          : printTable(["name", "role", "added"], views.map(({ addedAt, name, role }) => [name, role, addedAt]))
    )
  })
).pipe(Command.withDescription("List the operators"))

const setRole = Command.make(
  "set-role",
  { name, role, json: jsonFlag },
  Effect.fnUntraced(function* ({ json, name, role }) {
    const operator = yield* runChange(
      { name: "setOperatorRole", params: { name }, body: { role }, args },
      (operation) =>
        Effect.flatMap(hasOtherAdmin, (hasOtherAdmin) => setOperatorRole({ name, role, hasOtherAdmin }, operation))
    )
    yield* print(json, operator, (operator) => printFields(fieldsOf(operator)))
  })
).pipe(Command.withDescription("Change the role of an operator"))

const newToken = Command.make(
  "new-token",
  { name, json: jsonFlag },
  Effect.fnUntraced(function* ({ json, name }) {
    const operator = yield* runChange(
      { name: "issueOperatorToken", params: { name }, args },
      (operation) => issueOperatorToken(name, operation)
    )
    yield* printWithToken(json, operator)
  })
).pipe(Command.withDescription("Issue a new token, and print it once; the old token and its sessions stop at once"))

const remove = Command.make(
  "remove",
  { name, json: jsonFlag },
  Effect.fnUntraced(function* ({ json, name }) {
    const operator = yield* runChange(
      { name: "removeOperator", params: { name }, args },
      (operation) =>
        Effect.flatMap(hasOtherAdmin, (hasOtherAdmin) => removeOperator({ name, hasOtherAdmin }, operation))
    )
    yield* print(json, operator, ({ name }) => printFields([["removed", name]]))
  })
).pipe(Command.withDescription("Remove an operator: token and sessions stop at once"))

export const operator = Command.make("operator").pipe(
  Command.withDescription("Operators: who may use the admin API and the console, and what for"),
  Command.withSubcommands([add, list, setRole, newToken, remove, log, me, sessions, endSession, endSessions])
)
