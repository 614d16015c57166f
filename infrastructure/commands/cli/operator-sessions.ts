import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { acts } from "../../../domain/permissions.ts"
import type { DataOf } from "../../web/operators/operations.ts"
import { idArgument, jsonFlag, limitFlag, optionalText } from "./flags.ts"
import { localOperator } from "./local-operator.ts"
import { atTarget, commandsOn, printList, runChange } from "./operation.ts"
import { print, printFields } from "./output.ts"

/** A person who can write the data folder can do everything. */
const meHere = Effect.map(localOperator, (name) => ({ name, role: "admin", may: acts }) as const)

export const me = Command.make(
  "me",
  { json: jsonFlag },
  Effect.fnUntraced(function* ({ json }) {
    const me = yield* atTarget((call) => call({ name: "getMe" }), meHere)
    yield* print(
      json,
      me,
      ({ may, name, role }) =>
        printFields([["name", name], ["role", role], ["may", `${may.length} operations: --json lists them`]])
    )
  })
).pipe(Command.withDescription("Show the operator that commands act as, and what the role may do"))

export const sessions = Command.make(
  "sessions",
  {
    operator: optionalText("operator", "Only sessions of that operator, spelled as in the list"),
    limit: limitFlag,
    json: jsonFlag
  },
  ({ operator, ...flags }) =>
    printList(flags, { name: "listSessions", query: { operator: operator?.trim() } }, {
      session: "id",
      operator: "operator",
      role: "role",
      with: "source",
      started: "startedAt",
      expires: "expiresAt"
    }, "There are no open sessions")
).pipe(Command.withDescription("List the open sessions of the console, those that expire last first"))

export const endSession = commandsOn(
  idArgument("Id of a session, as operator sessions prints it"),
  (json, ended: DataOf<"endSession">) => print(json, ended, ({ id }) => printFields([["ended", id]]))
)(
  "end-session",
  (id) => runChange({ name: "endSession", params: { id }, readsFirst: true }),
  "End a session of the console in every process"
)

export const endSessions = Command.make(
  "end-sessions",
  { name: Argument.String("name").pipe(Argument.withDescription("Name of the operator")), json: jsonFlag },
  Effect.fnUntraced(function* ({ json, name }) {
    const ended = yield* runChange({ name: "endOperatorSessions", params: { name } })
    yield* print(json, ended, ({ operator }) => printFields([["signed out", operator]]))
  })
).pipe(Command.withDescription("End all sessions of an operator in every process; the token stays valid"))
