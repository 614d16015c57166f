import type { NothingToRedeliver } from "../../../application/callbacks/redeliver-callbacks.ts"
import type { FieldsRefused } from "../../../domain/bank-account/fields.ts"
import { fieldFault, tooManyAccounts } from "../../web/input/bank-account-requests.ts"
import { invalid, type InvalidInput } from "../../web/input/decode.ts"
import { keyFaults } from "../../web/input/key-requests.ts"
import type { HandlerFailure } from "../../web/operators/handlers.ts"
import { answerIsNo, cannotRun, type CommandFailed } from "./exit.ts"
import { wrongFlags } from "./flags.ts"

/** Failures of stores and keys, which `describeFailure` describes. */
type StoreTag = "EventStoreError" | "ReadModelsError" | "WrongExpectedRevision" | "VaultError"

type ByTag = {
  readonly [Failure in HandlerFailure | InvalidInput as Exclude<Failure["_tag"], StoreTag>]: Failure
}

type Rejection = ByTag[keyof ByTag]

/** What a command knows about its request. */
interface Asked {
  /** Whether it reads one record by its id: then one that has ended is found too. */
  readonly readsOne?: boolean
  /** Fields that are arguments of the command, without a flag. */
  readonly args?: ReadonlyArray<string> | undefined
  readonly query?: object | undefined
}

const callbackReasons = {
  "pending": "the job has not ended, its callback is sent when it ends",
  "no-url": "the job has no callbackUrl",
  "erased": "the personal data of the job was erased"
} as const satisfies Readonly<Record<NothingToRedeliver["reason"], string>>

const CHECK_SLIP =
  ": check the bank code (three digits, such as 004, or TRUEMONEY) and the reference (upper case, as on the slip; of "
  + "TrueMoney TW and the transaction id)"

const fieldsRefused = (refused: FieldsRefused) => wrongFlags(fieldFault(refused))

/** What a command on the data folder says of each rejection. A failure of a handler without a row does not compile. */
const rows: { readonly [Tag in keyof ByTag]: (rejection: ByTag[Tag], asked: Asked) => CommandFailed } = {
  AccountNotFound: () => answerIsNo("the account does not exist"),
  ServiceNotFound: (_, { readsOne = false }) =>
    answerIsNo(readsOne ? "the service does not exist" : "the service does not exist, or it was deleted"),
  BranchNotFound: () => answerIsNo("the branch does not exist"),
  ApiKeyInUse: () =>
    answerIsNo("the API key belongs to a branch, or belonged to one: import another key, or create one"),
  ApiKeyNotFound: () => answerIsNo("the branch has no API key with this id"),
  ApiKeyRefused: ({ reason }) =>
    // An operator at the folder asks without a key.
    reason === "asking-ended" ? cannotRun("the API key has ended") : wrongFlags(invalid(keyFaults[reason])),
  StatisticsTooLarge: () =>
    wrongFlags(invalid({ path: "from", message: "The service has too many branches for so many hours" })),
  BankRefused: fieldsRefused,
  BankNumberRefused: fieldsRefused,
  BankAccountNotFound: (_, { readsOne = false }) =>
    answerIsNo(readsOne ? "the bank account does not exist" : "the bank account does not exist, or it was deactivated"),
  BankAccountDuplicate: () =>
    answerIsNo("another active bank account of the service has this bank and number: deactivate it first"),
  BankAccountsFull: () => wrongFlags(invalid(tooManyAccounts)),
  BankAccountStale: () =>
    answerIsNo("the bank account changed at the same time: check its state, then repeat the command"),
  BranchOfAnotherService: () => answerIsNo("the branch belongs to another service than the bank account"),
  OperatorNotFound: () => answerIsNo("there is no operator with this name: sliptrail operator list shows all"),
  OperatorNameTaken: () => answerIsNo("another operator has this name: use another one, or remove that operator first"),
  SignInLinkRefused: ({ reason }) =>
    answerIsNo(
      reason === "used"
        ? "the link was redeemed: its device has an API key. Revoke it with: sliptrail key revoke"
        : "the branch has no sign-in link with this id"
    ),
  LastAdmin: () => answerIsNo("the operator is the last administrator: add another one first, or set ADMIN_TOKEN"),
  SessionNotFound: () => answerIsNo("the session does not exist"),
  JobNotFound: () => answerIsNo("the job does not exist"),
  NothingToRedeliver: ({ reason }) => answerIsNo(`there is no callback to send: ${callbackReasons[reason]}`),
  NothingToErase: ({ subject }) => answerIsNo(`there are no events of that ${subject === "Slip" ? "slip" : "job"}`),
  TrailEmpty: ({ firstAt }, { query = {} }) =>
    answerIsNo(
      firstAt === undefined
        ? `there are no events${"at" in query ? ", at that time or later" : ""}${"slip" in query ? CHECK_SLIP : ""}`
        : `there were no events yet at that time: the first event is of ${firstAt}`
    ),
  InvalidInput: (error, { args }) => wrongFlags(error, args)
}

const isRejection = (error: { readonly _tag: string }): error is Rejection => Object.hasOwn(rows, error._tag)

const describe = <Tag extends keyof ByTag>(tag: Tag, rejection: ByTag[Tag], asked: Asked): CommandFailed => {
  const row: (rejection: ByTag[Tag], asked: Asked) => CommandFailed = rows[tag]
  return row(rejection, asked)
}

/** The error of a command, in words. Failures of the stores stay as they are. */
export const describeRejection = <E extends { readonly _tag: string }>(error: E, asked: Asked = {}) =>
  isRejection(error) ? describe(error._tag, error, asked) : error
