import { Effect } from "effect"
import { Flag } from "effect/cli"
import { userInfo } from "node:os"
import { type Disclosure, recordDisclosure } from "../../application/erasure/erase-slip.ts"
import { type Operation, withVisibility } from "../../application/provisioning/operator-command.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { ApiKeyRefused } from "../../domain/branch-keys.ts"
import { SignInLinkRefused } from "../../domain/sign-in-link.ts"
import type { Page } from "../../projections/engine/page.ts"
import { invalid } from "../input/decode.ts"
import { tooManyAccounts } from "../input/bank-account-requests.ts"
import { keyFaults } from "../input/key-requests.ts"
import type { DataFolderError } from "../runtime/data-folder.ts"
import { answerIsNo, cannotRun, type CommandFailed } from "./exit.ts"
import { wrongFlags } from "./flags.ts"
import { firstRows, note } from "./output.ts"
import {
  type Call,
  type DataOf,
  NOT_VISIBLE,
  type OpenFile,
  type OperationName,
  type Request,
  type RequestParts
} from "./request.ts"
import { layerChange, layerCreate, readStores, retryWhileBehind } from "./stores.ts"
import { target } from "./target.ts"

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

/** The name in the trail of the person who works on the data folder. */
export const localOperator = Effect.map(user, (name) => `os:${name}`)

/** Runs a command as one operation of the trail: all events of one run have the same correlation id. */
export const asOperation = <A, E extends Failure, R>(run: (operation: Operation) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const correlationId = (yield* Identifiers).newId()
    const actor = { kind: "admin", id: "cli", operator: yield* localOperator } as const
    const { isVisible, value } = yield* withVisibility(run({ actor, correlationId }))
      .pipe(
        Effect.mapError(describeRejection)
      )
    if (!isVisible) yield* note(NOT_VISIBLE)
    return value
  })

/** The error of a command, in words. */
export const describeRejection = <E extends Failure>(error: E): E | CommandFailed => {
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
    case "StatisticsTooLarge":
      return wrongFlags(invalid({ path: "from", message: "The service has too many branches for so many hours" }))
    case "BankAccountNotFound":
      return answerIsNo("the bank account does not exist, or it was deactivated")
    case "BankAccountDuplicate":
      return answerIsNo("another active bank account of the service has this bank and number: deactivate it first")
    case "BankAccountsFull":
      return wrongFlags(invalid(tooManyAccounts))
    case "BankAccountStale":
      return answerIsNo("the bank account changed at the same time: check its state, then repeat the command")
    case "BranchOfAnotherService":
      return answerIsNo("the branch belongs to another service than the bank account")
    case "OperatorNotFound":
      return answerIsNo("there is no operator with this name: sliptrail operator list shows all")
    case "OperatorNameTaken":
      return answerIsNo("another operator has this name: use another one, or remove that operator first")
    case "SignInLinkRefused":
      return error instanceof SignInLinkRefused && error.reason === "used"
        ? answerIsNo("the link was redeemed: its device has an API key. Revoke it with: sliptrail key revoke")
        : answerIsNo("the branch has no sign-in link with this id")
    case "LastAdmin":
      return answerIsNo("the operator is the last administrator: add another one first, or set ADMIN_TOKEN")
    default:
      return error
  }
}

/**
 * Calls the admin API of the service of `--url`, or works on the data folder without `--url`. Loads only what the chosen
 * way needs.
 */
export const atTarget = <A, E1, R1, B, E2, R2>(
  remote: (call: Call) => Effect.Effect<A, E1, R1>,
  local: Effect.Effect<B, E2, R2>
) =>
  Effect.gen(function* () {
    const service = yield* target
    if (service === undefined) return yield* local
    const { makeCall } = yield* Effect.promise(() => import("./remote-client.ts"))
    return yield* remote(yield* makeCall(service))
  })

/** The same for an operation whose answer is a file. */
export const atTargetFile = <A, E1, R1, B, E2, R2>(
  remote: (open: OpenFile) => Effect.Effect<A, E1, R1>,
  local: Effect.Effect<B, E2, R2>
) =>
  Effect.gen(function* () {
    const service = yield* target
    if (service === undefined) return yield* local
    const { makeOpenFile } = yield* Effect.promise(() => import("./remote-file.ts"))
    return yield* remote(yield* makeOpenFile(service))
  })

/**
 * Changes an existing data folder that no service has open, or asks the service of `--url` for the same operation of its
 * admin API.
 */
export const runChange = <const Name extends OperationName, A extends DataOf<Name>, E extends Failure, R>(
  request: Request<Name>,
  run: (operation: Operation) => Effect.Effect<A, E, R>
) =>
  atTarget(
    (call) => call(request),
    asOperation(run).pipe(Effect.provide(layerChange), suggestAdminApi(request))
  )

/** Like `runChange`, but creates the data folder if it does not exist. */
export const runCreate = <const Name extends OperationName, A extends DataOf<Name>, E extends Failure, R>(
  request: Request<Name>,
  run: (operation: Operation) => Effect.Effect<A, E, R>
) =>
  atTarget(
    (call) => call(request),
    asOperation(run).pipe(Effect.provide(layerCreate), suggestAdminApi(request))
  )

/** Changes the data folder by what the admin API has no operation for. */
export const runLocalChange = <A, E extends Failure, R>(run: (operation: Operation) => Effect.Effect<A, E, R>) =>
  Effect.provide(asOperation(run), layerChange)

/** Reads the stores, or asks the service of `--url`. */
export const runRead = <const Name extends OperationName, A extends DataOf<Name>, E, R>(
  request: Request<Name>,
  read: Effect.Effect<A, E, R>
) => atTarget((call) => call(request), readStores(read))

interface PageRange {
  readonly cursor: string | undefined
  readonly limit: number
}

type ReadPage<Item, E, R> = (page: PageRange) => Effect.Effect<Page<Item>, E, R>

/** The first rows of a list of the stores, or of the service of `--url`. */
export const runList = <Item, E1, R1, E2, R2, E3, R3>(
  limit: number,
  remote: (call: Call) => ReadPage<Item, E1, R1>,
  local: Effect.Effect<ReadPage<Item, E2, R2>, E3, R3>
) =>
  atTarget(
    (call) => firstRows(limit, remote(call)),
    readStores(Effect.flatMap(local, (readPage) => firstRows(limit, readPage)))
  )

/** When a running service has the data folder open, the error names the operation of its admin API. */
export const suggestAdminApi = (request: RequestParts) => <A, E, R>(run: Effect.Effect<A, E, R>) =>
  Effect.catchIf(
    run,
    (error): error is E & DataFolderError => isInUse(error),
    ({ message }) =>
      Effect.gen(function* () {
        const { routeOf } = yield* Effect.promise(() => import("./remote-request.ts"))
        return yield* cannotRun(`${message}, or use its admin API with --url: ${routeOf(request)}`)
      })
  )

/** Checked by its tag: the class belongs to the stores, which are not loaded for a service of `--url`. */
const isInUse = (error: unknown): error is DataFolderError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "DataFolderError"
  && "reason" in error && error.reason === "in-use"

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
  run: (record: RecordDisclosure, operation: Operation) => Effect.Effect<A, E, R>
) =>
  runLocalChange((operation) =>
    retryWhileBehind(
      run((disclosure) => recordDisclosure(disclosure, operation), operation)
    )
  ).pipe(
    Effect.catchIf(isInUse, () =>
      Effect.fail(cannotRun(
        `access to personal data is recorded in the log, which a running SlipTrail has open: ${instead}`
      )))
  )
