import { Effect } from "effect"
import { Flag } from "effect/cli"
import { userInfo } from "node:os"
import { type Disclosure, recordDisclosure } from "../../application/erasure/erase-slip.ts"
import { type Operation, withVisibility } from "../../application/provisioning/operator-command.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { ApiKeyRefused } from "../../domain/branch-keys.ts"
import { invalid } from "../input/decode.ts"
import { keyFaults } from "../input/key-requests.ts"
import { DataFolderError } from "../runtime/data-folder.ts"
import { answerIsNo, cannotRun, type CommandFailed } from "./exit.ts"
import { wrongFlags } from "./flags.ts"
import { note } from "./output.ts"
import { layerChange, layerCreate, retryWhileBehind } from "./stores.ts"

interface Failure {
  readonly _tag: string
}

/** The user of the operating system; its number when it has no name. */
const user = Effect.sync((): string => {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`
  }
})

/** Runs a command as one operation of the trail: all events of one run have the same correlation id. */
const asOperation = <A, E extends Failure, R>(run: (operation: Operation) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const correlationId = (yield* Identifiers).random()
    const actor = { kind: "admin", id: "cli", operator: `os:${yield* user}` } as const
    const { isVisible, value } = yield* withVisibility(run({ actor, correlationId }))
      .pipe(
        Effect.mapError(describeRejection)
      )
    if (!isVisible) yield* note(NOT_VISIBLE)
    return value
  })

const NOT_VISIBLE =
  "The change is stored. Requests see it when a running projector has applied it: sliptrail projections list"

const describeRejection = <E extends Failure>(error: E): E | CommandFailed => {
  switch (error._tag) {
    case "AccountNotFound":
      return answerIsNo("the account does not exist")
    case "ServiceNotFound":
      return answerIsNo("the service does not exist, or it was deleted")
    case "BranchNotFound":
      return answerIsNo("the branch does not exist")
    case "ApiKeyInUse":
      return answerIsNo("the API key belongs to a branch, or belonged to one: import another key, or create one")
    case "ApiKeyNotFound":
      return answerIsNo("the branch has no API key with this id")
    case "ApiKeyRefused":
      return error instanceof ApiKeyRefused && error.reason !== "asking-ended"
        ? wrongFlags(invalid(keyFaults[error.reason]))
        : error
    case "BankAccountNotFound":
      return answerIsNo("the bank account does not exist, or it was deactivated")
    case "BankAccountDuplicate":
      return answerIsNo("another active bank account of the service has this bank and number: deactivate it first")
    case "BankAccountStale":
      return answerIsNo("the bank account changed at the same time: check its state, then repeat the command")
    case "BranchOfAnotherService":
      return answerIsNo("the branch belongs to another service than the bank account")
    case "OperatorNotFound":
      return answerIsNo("there is no operator with this name: sliptrail operator list shows all")
    case "OperatorNameTaken":
      return answerIsNo("another operator has this name: use another one, or remove that operator first")
    case "LastAdmin":
      return answerIsNo("the operator is the last administrator: add another one first, or set ADMIN_TOKEN")
    default:
      return error
  }
}

/**
 * Changes an existing data folder that no service has open. `route` is the same operation in the admin API of a running
 * service, such as `PATCH /branches/…`; undefined when there is none.
 */
export const runChange = <A, E extends Failure, R>(
  route: string | undefined,
  run: (operation: Operation) => Effect.Effect<A, E, R>
) => asOperation(run).pipe(Effect.provide(layerChange), suggestAdminApi(route))

/** Like `runChange`, but creates the data folder if it does not exist. */
export const runCreate = <A, E extends Failure, R>(
  route: string,
  run: (operation: Operation) => Effect.Effect<A, E, R>
) => asOperation(run).pipe(Effect.provide(layerCreate), suggestAdminApi(route))

/** When a running service has the data folder open, the error names the route of its admin API. */
export const suggestAdminApi = (route: string | undefined) => <A, E, R>(run: Effect.Effect<A, E, R>) =>
  Effect.mapError(run, (error) => {
    if (route === undefined || !isInUse(error)) return error
    const [method, path] = route.split(" ")
    return cannotRun(`${error.message}, or use its admin API: ${method} /admin/v1${path}`)
  })

const isInUse = (error: unknown): error is DataFolderError =>
  error instanceof DataFolderError && error.reason === "in-use"

/** The flag `--reveal` of commands that can show personal data. */
export const revealFlag = Flag.Boolean("reveal").pipe(
  Flag.withDescription("Show names, account numbers, references and remarks; the access is recorded in the log first"),
  Flag.withDefault(false)
)

/** Records which personal data the command is about to show. */
type RecordDisclosure = (disclosure: Disclosure) => ReturnType<typeof recordDisclosure>

/**
 * Runs a command that shows personal data and records that in the log first. It appends to the log, so no service may have
 * the data folder open. `instead` is the advice for showing the same data with a running service.
 */
export const runReveal = <A, E extends Failure, R>(
  instead: string,
  run: (record: RecordDisclosure) => Effect.Effect<A, E, R>
) =>
  runChange(undefined, (operation) =>
    retryWhileBehind(
      run((disclosure) => recordDisclosure(disclosure, operation))
    )).pipe(
      Effect.catchIf(isInUse, () =>
        Effect.fail(cannotRun(
          `access to personal data is recorded in the log, which a running SlipTrail has open: ${instead}`
        )))
    )
