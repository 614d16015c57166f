import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { acts } from "../../../domain/permissions.ts"
import type { DataOf } from "../../web/operators/operations.ts"
import { idArgument, jsonFlag, limitFlag, optionalText } from "./flags.ts"
import { localOperator } from "./local-operator.ts"
import { atTarget, printing, printList, runChange } from "./operation.ts"
import { printFields } from "./output.ts"

/** A person who can write the data folder can do everything. */
const meHere = Effect.map(localOperator, (name) => ({ name, role: "admin", may: acts }) as const)

export const me = printing(({ may, name, role }: DataOf<"getMe">) =>
  printFields([["name", name], ["role", role], ["may", `${may.length} operations: --json lists them`]])
)(
  "me",
  {},
  () => atTarget(({ call }) => call({ name: "getMe" }), meHere),
  "Show the operator that commands act as, and what the role may do"
)

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

export const endSession = printing(({ id }: DataOf<"endSession">) => printFields([["ended", id]]))(
  "end-session",
  { id: idArgument("Id of a session, as operator sessions prints it") },
  (params) => runChange({ name: "endSession", params, readsFirst: true }),
  "End a session of the console in every process"
)

export const endSessions = printing(({ operator }: DataOf<"endOperatorSessions">) =>
  printFields([["signed out", operator]])
)(
  "end-sessions",
  { name: Argument.String("name").pipe(Argument.withDescription("Name of the operator")) },
  (params) => runChange({ name: "endOperatorSessions", params }),
  "End all sessions of an operator in every process; the token stays valid"
)
