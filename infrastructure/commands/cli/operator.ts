import { Argument, Command, Flag } from "effect/cli"
import type { OperatorView, OperatorWithToken } from "../../../application/operators/operators.ts"
import { OperatorRole } from "../../../domain/operators.ts"
import type { DataOf } from "../../web/operators/operations.ts"
import { printing, runChange, runCreate, runRead } from "./operation.ts"
import { log } from "./operator-log.ts"
import { endSession, endSessions, me, sessions } from "./operator-sessions.ts"
import { type Columns, fieldsBy, note, printFields, printRows } from "./output.ts"

const name = Argument.String("name").pipe(Argument.withDescription("Name of the operator"))
/** The name of an operator has no flag. */
const args = ["name"]

const role = Flag.Literals("role", OperatorRole.literals).pipe(
  Flag.withDescription("admin: everything; support: reads, and sends callbacks again; auditor: reads and discloses")
)

const columns: Columns<OperatorView> = { name: "name", role: "role", added: "addedAt" }

const printsOperator = printing((operator: OperatorView) => printFields(fieldsBy(columns, operator)))

const printsToken = printing(
  (operator: OperatorWithToken) => printFields([...fieldsBy(columns, operator), ["token", operator.token]]),
  note("Save the token now: it is not shown again.")
)

const printOperators = (views: ReadonlyArray<OperatorView>) =>
  views.length === 0
    ? note("There is no operator yet. Add one with: sliptrail operator add NAME --role admin")
    : printRows(columns, views)

export const operator = Command.make("operator").pipe(
  Command.withDescription("Operators: who may use the admin API and the console, and what for"),
  Command.withSubcommands([
    printsToken(
      "add",
      { name, role },
      (body) => runCreate({ name: "addOperator", body, args }),
      "Add an operator, and print the token of the operator once"
    ),
    printing(printOperators)("list", {}, () => runRead({ name: "listOperators" }), "List the operators"),
    printsOperator(
      "set-role",
      { name, role },
      ({ name, role }) => runChange({ name: "setOperatorRole", params: { name }, body: { role }, args }),
      "Change the role of an operator"
    ),
    printsToken(
      "new-token",
      { name },
      (params) => runChange({ name: "issueOperatorToken", params, args }),
      "Issue a new token, and print it once; the old token and its sessions stop at once"
    ),
    printing(({ name }: DataOf<"removeOperator">) => printFields([["removed", name]]))(
      "remove",
      { name },
      (params) => runChange({ name: "removeOperator", params, args }),
      "Remove an operator: token and sessions stop at once"
    ),
    log,
    me,
    sessions,
    endSession,
    endSessions
  ])
)
