import type { BankAccountsFull } from "../../../../application/bank-accounts/account-limit.ts"
import type { BranchOfAnotherService } from "../../../../application/bank-accounts/change-bank-account.ts"
import type { NothingToRedeliver } from "../../../../application/callbacks/redeliver-callbacks.ts"
import type { RefusedBefore, RequestInProgress } from "../../../../application/events/run-idempotent.ts"
import type { EnqueueError } from "../../../../application/jobs/enqueue-slips.ts"
import type { JobNotFound } from "../../../../application/jobs/load-job.ts"
import type { SessionNotFound } from "../../../../application/operators/console-sessions.ts"
import type { RoleMissing } from "../../../../application/operators/require-act.ts"
import type { ApiKeyInUse } from "../../../../application/provisioning/api-keys.ts"
import type { CallerRefused } from "../../../../application/provisioning/callers.ts"
import {
  callerError,
  imageUnusableError,
  imageUrlCode,
  pictureError
} from "../../../../application/verification/failures.ts"
import type { StatisticsTooLarge } from "../../../../application/reading/statistics.ts"
import type { VerificationNotFound } from "../../../../application/reading/verification-detail.ts"
import type { ReaderUnavailable } from "../../../../application/verification/slip-source.ts"
import type { WalletsNotSupported } from "../../../../application/verification/wallet-slip.ts"
import type { VerificationError } from "../../../../application/verification/verify-slip.ts"
import type { AccountNotFound } from "../../../../domain/account.ts"
import type { BankAccountRejection } from "../../../../domain/bank-account/bank-account.ts"
import type { BankNumberRefused } from "../../../../domain/bank-account/fields.ts"
import type { BankRefused } from "../../../../domain/bank.ts"
import type { BranchNotFound } from "../../../../domain/branch.ts"
import type { ApiKeyNotFound, ApiKeyRefused } from "../../../../domain/branch-keys.ts"
import type { KeyReused } from "../../../../domain/idempotency-key.ts"
import type { LastAdmin, OperatorNameTaken, OperatorNotFound } from "../../../../domain/operators.ts"
import type { ServiceNotFound } from "../../../../domain/service.ts"
import type { SignInLinkRefused } from "../../../../domain/sign-in-link.ts"
import { MAX_NOTES, type TooManyNotes } from "../../../../domain/verification-note.ts"
import { isoTime } from "../../../../domain/time.ts"
import type { EventStoreError } from "../../../../ports/event-store.ts"
import type { QuotaError } from "../../../../ports/quota.ts"
import type { UnchargedLimitExceeded } from "../../../../ports/uncharged-limiter.ts"
import type { ReadModelsError } from "../../../../ports/read-models.ts"
import type { InvalidInput } from "../../input/decode.ts"
import { tooManyAccounts } from "../../input/bank-account-requests.ts"
import { keyFaults } from "../../input/key-requests.ts"
import {
  type ApiError,
  apiError,
  isV2Code,
  type V1Code,
  type V1Error,
  v1Error,
  type V2Code,
  v2Failures
} from "../../api/failures.ts"

/** Every failure of the application that an endpoint may fail with. */
type ApplicationFailure =
  | InvalidInput
  | VerificationError
  | WalletsNotSupported
  | EnqueueError
  | JobNotFound
  | NothingToRedeliver
  | VerificationNotFound
  | StatisticsTooLarge
  | TooManyNotes
  | BankRefused
  | BankNumberRefused
  | BankAccountRejection
  | BankAccountsFull
  | KeyReused
  | RequestInProgress
  | RefusedBefore
  | CallerRefused
  | ApiKeyInUse
  | ApiKeyNotFound
  | ApiKeyRefused
  | AccountNotFound
  | ServiceNotFound
  | BranchNotFound
  | BranchOfAnotherService
  | RoleMissing
  | SessionNotFound
  | OperatorNotFound
  | OperatorNameTaken
  | LastAdmin
  | SignInLinkRefused
  | ReadModelsError
  | EventStoreError
  | QuotaError

type ByTag = { readonly [Failure in ApplicationFailure as Failure["_tag"]]: Failure }

export type Failure = ApiError | ApplicationFailure

/** `Retry-After` while a store or the slip reader is unavailable, in seconds. */
export const UNAVAILABLE_RETRY_SECONDS = 5

const refusals = {
  "unknown-key": { v2: "INVALID_API_KEY", v1: "unauthorized" },
  "service-deleted": { v2: "SERVICE_DELETED", v1: "application_deactivated" },
  "service-banned": { v2: "SERVICE_BANNED", v1: "access_denied" },
  "account-banned": { v2: "USER_BANNED", v1: "access_denied" },
  "account-not-verified": { v2: "SERVICE_INACTIVE", v1: "account_not_verified" },
  "service-expired": { v2: "SERVICE_INACTIVE", v1: "application_expired" },
  "service-deactivated": { v2: "SERVICE_INACTIVE", v1: "application_deactivated" },
  "branch-inactive": { v2: "BRANCH_INACTIVE", v1: "application_deactivated" }
} as const satisfies Readonly<Record<CallerRefused["reason"], { readonly v2: V2Code; readonly v1: V1Code }>>

const nothingToRedeliver: Readonly<Record<NothingToRedeliver["reason"], string>> = {
  "pending": "The job has not ended: its callback is sent when it does",
  "no-url": "The job has no callbackUrl, and its branch had no default when it was accepted",
  "erased": "The personal data of the job was erased: there is nothing left to send"
}

const bankRefused = {
  "unknown-bank": { code: "INVALID_BANK_CODE", message: undefined },
  "extra-verify-invalid": { code: "INVALID_EXTRA_VERIFY", message: undefined },
  "extra-verify-required": { code: "INVALID_EXTRA_VERIFY", message: "extraVerify is required for this bank" }
} as const satisfies Readonly<
  Record<BankRefused["reason"], { readonly code: V2Code; readonly message: string | undefined }>
>

const invalidField = (path: string, message: string) => apiError("VALIDATION_ERROR", { issues: [{ path, message }] })
const slipNotFound = () => apiError("SLIP_NOT_FOUND")
const notFound = (what: string) => apiError("NOT_FOUND", { message: `There is no such ${what}` })
/** A store of the service does not answer. */
export const unavailable = () => apiError("API_SERVER_ERROR", { retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS })
/** A read model has not caught up with the log. */
const notCaughtUp = (message: string) =>
  apiError("API_SERVER_ERROR", { message, retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS, isOverload: true })

const unchargedLimits = {
  repeat: "The branch has repeated too many verifications today. The first result of the slip still holds",
  failure: "Too many requests of the branch ended without a slip today. Wait as long as Retry-After says"
} as const satisfies Readonly<Record<UnchargedLimitExceeded["kind"], string>>

const READING_LOG =
  "The service is still reading its records after a start or a loss of data. Wait as long as Retry-After says"

/** What a branch does too much of. */
const readerLimits = {
  "branch-busy": "Too many pictures of this branch are waiting: try again later",
  "over-budget": "This branch has used up its time for reading pictures: try again later"
} as const

/** Why the service could not read a picture. */
const readerFailures = {
  "busy": "Too many pictures are waiting: try again later",
  "deadline": "The picture could not be read in time: try again later",
  "unavailable": "The slip reader failed: try again later"
} as const

const readerUnavailable = ({ reason, retryAfterSeconds = UNAVAILABLE_RETRY_SECONDS }: ReaderUnavailable) =>
  reason === "branch-busy" || reason === "over-budget"
    ? apiError("RATE_LIMIT_EXCEEDED", { message: readerLimits[reason], retryAfterSeconds })
    : apiError("API_SERVER_ERROR", { message: readerFailures[reason], retryAfterSeconds, isOverload: true })

/** The longest time that a DNS lookup takes. The branch then has free lookups again. */
const LOOKUP_RETRY_SECONDS = 5

type CallerErrorOf<Code extends V2Code> = ReturnType<typeof callerError> & { readonly code: Code }

const callerFailure = <Code extends V2Code>({ code, ...error }: CallerErrorOf<Code>) => apiError(code, error)

/** The error of an unusable picture in the request itself. */
export const pictureUnusable = (failure: ByTag["ImageUnusable"]) => callerFailure(pictureError(failure))

/** The v2 error of each failure of the application. A failure without a row does not compile. */
const rows = {
  InvalidInput: ({ issues }: ByTag["InvalidInput"]) => apiError("VALIDATION_ERROR", { issues }),
  CallerRefused: ({ reason }: ByTag["CallerRefused"]) => apiError(refusals[reason].v2),
  NoSlip: slipNotFound,
  WrongSlipKind: ({ found }: ByTag["WrongSlipKind"]) => callerFailure(callerError("WRONG_SLIP_KIND", found)),
  SeveralSlips: () => apiError("SEVERAL_SLIPS"),
  WalletsNotSupported: () => apiError("TRUEWALLET_NOT_SUPPORTED"),
  SlipUnknown: slipNotFound,
  SlipPending: ({ retryAfterSeconds }: ByTag["SlipPending"]) => apiError("SLIP_PENDING", { retryAfterSeconds }),
  UpstreamUnavailable: ({ retryAfterSeconds }: ByTag["UpstreamUnavailable"]) =>
    apiError("API_SERVER_ERROR", { retryAfterSeconds }),
  QuotaExceeded: () => apiError("QUOTA_EXCEEDED"),
  UnchargedLimitExceeded: ({ kind, retryAfterSeconds }: ByTag["UnchargedLimitExceeded"]) =>
    apiError("RATE_LIMIT_EXCEEDED", { message: unchargedLimits[kind], retryAfterSeconds }),
  ImageUrlFailed: ({ detail, reason }: ByTag["ImageUrlFailed"]) => {
    if (reason === "invalid-url") return invalidField("url", detail)
    if (reason === "busy") return apiError("RATE_LIMIT_EXCEEDED", { retryAfterSeconds: LOOKUP_RETRY_SECONDS })
    return apiError(imageUrlCode(reason))
  },
  ImageUnusable: (failure: ByTag["ImageUnusable"]) => callerFailure(imageUnusableError(failure)),
  PicturesUnusable: ({ pictures }: ByTag["PicturesUnusable"]) => pictureUnusable(pictures[0].failure),
  JobNotFound: ({ expiredAt: at }: ByTag["JobNotFound"]) =>
    apiError("JOB_NOT_FOUND", {
      detail: at === undefined ? at : `Its result expired at ${isoTime(at)}, seven days after the job ended`
    }),
  StatisticsTooLarge: () =>
    invalidField("from", "The service has too many branches for so many hours. Ask for fewer days, or for one branch"),
  VerificationNotFound: () => apiError("VERIFICATION_NOT_FOUND"),
  TooManyNotes: () => invalidField("text", `The verification has ${MAX_NOTES} notes, which is the most`),
  BankRefused: ({ reason }: ByTag["BankRefused"]) => {
    const { code, message } = bankRefused[reason]
    return apiError(code, { message })
  },
  BankNumberRefused: ({ field, message }: ByTag["BankNumberRefused"]) => invalidField(field, message),
  BankAccountNotFound: () => apiError("BANK_ACCOUNT_NOT_FOUND"),
  BankAccountNotOwned: () =>
    apiError("BANK_ACCOUNT_NOT_FOUND", {
      message: "This branch may not change the bank account. Ask the branch that registered it, or an operator"
    }),
  BankAccountDuplicate: () => apiError("BANK_ACCOUNT_DUPLICATE"),
  BankAccountsFull: () => apiError("VALIDATION_ERROR", { issues: [tooManyAccounts] }),
  ApiKeyInUse: () => apiError("API_KEY_IN_USE"),
  ApiKeyNotFound: () => apiError("API_KEY_NOT_FOUND"),
  ApiKeyRefused: ({ reason }: ByTag["ApiKeyRefused"]) =>
    reason === "asking-ended"
      ? apiError("INVALID_API_KEY")
      : apiError("VALIDATION_ERROR", { issues: [keyFaults[reason]] }),
  KeyReused: () => apiError("IDEMPOTENCY_KEY_REUSED"),
  RequestInProgress: () => apiError("IDEMPOTENCY_IN_PROGRESS", { retryAfterSeconds: 1 }),
  RefusedBefore: ({ code, detail, message }: ByTag["RefusedBefore"]) =>
    isV2Code(code) ? apiError(code, { message, detail }) : apiError("INTERNAL_SERVER_ERROR"),
  NothingToRedeliver: ({ reason }: ByTag["NothingToRedeliver"]) => invalidField("jobId", nothingToRedeliver[reason]),
  AccountNotFound: () => notFound("account"),
  ServiceNotFound: () => notFound("service"),
  BranchNotFound: () => notFound("branch"),
  BranchOfAnotherService: () => invalidField("branchId", "The branch belongs to another service than the account"),
  RoleMissing: ({ act, needed, role }: ByTag["RoleMissing"]) =>
    apiError("ROLE_MISSING", {
      message: `The role ${role} may not do this: ${act} needs the role ${needed.join(" or ")}`
    }),
  SessionNotFound: () => notFound("session"),
  OperatorNotFound: () => notFound("operator"),
  OperatorNameTaken: () => invalidField("name", "Another operator has this name"),
  LastAdmin: () =>
    invalidField("name", "The operator is the last administrator. Add another one first, or set ADMIN_TOKEN"),
  SignInLinkRefused: ({ reason }: ByTag["SignInLinkRefused"]) =>
    reason === "used"
      ? invalidField("linkId", "The link was redeemed: its device has an API key. Revoke that key")
      : notFound("sign-in link"),
  ReaderUnavailable: readerUnavailable,
  // Also `not-ready`: the charges are not counted while the log is away, either.
  QuotaError: unavailable,
  ReadModelsError: ({ reason }: ByTag["ReadModelsError"]) =>
    reason === "behind" ? notCaughtUp(READING_LOG) : unavailable(),
  EventStoreError: unavailable,
  WrongExpectedRevision: unavailable,
  BankAccountStale: unavailable
} satisfies { readonly [Tag in keyof ByTag]: (failure: ByTag[Tag]) => ApiError }

type CodeOf<Tag extends keyof ByTag> = ReturnType<(typeof rows)[Tag]>["code"]

/** The failures that become one of these codes. The handler of an operation with these codes may fail with them. */
export type FailureWith<Code extends V2Code> =
  | ApiError<Code>
  // Has a code with which the same operation failed before.
  | RefusedBefore
  // Is SLIP_NOT_FOUND on a bank endpoint. The TrueMoney endpoint declares WRONG_SLIP_KIND too.
  | ("SLIP_NOT_FOUND" extends Code ? ByTag["WrongSlipKind"] : never)
  | { [Tag in keyof ByTag]: CodeOf<Tag> extends Code ? ByTag[Tag] : never }[keyof ByTag]

const byTag: { readonly [Tag in keyof ByTag]: (failure: ByTag[Tag]) => ApiError } = rows

const convert = <Tag extends keyof ByTag>(tag: Tag, failure: ByTag[Tag]): ApiError => byTag[tag](failure)

export const toApiError = (failure: Failure): ApiError =>
  failure._tag === "ApiError" ? failure : convert(failure._tag, failure)

/** `FailureWith` of the admin API, where an unknown bank account or API key is `NOT_FOUND`. */
export type AdminFailureWith<Code extends V2Code> =
  | FailureWith<Code>
  | ("NOT_FOUND" extends Code ? ByTag["BankAccountNotFound" | "ApiKeyNotFound"] : never)

const BEHIND =
  "A read model has not caught up with the log. Check that a process with the role projector runs, then repeat the request"

export const toAdminError = (failure: Failure): ApiError => {
  if (failure._tag === "BankAccountNotFound") return notFound("bank account")
  if (failure._tag === "ApiKeyNotFound") return notFound("API key")
  return failure._tag === "ReadModelsError" && failure.reason === "behind" ? notCaughtUp(BEHIND) : toApiError(failure)
}

/** v1 distinguishes a picture without a QR code from a text that is not of a slip. v2 has one code for both. */
const noSlip = {
  "no-qr": "qrcode_not_found",
  "no-slip-qr": "invalid_payload",
  "no-wallet-qr": "invalid_payload",
  "too-long": "invalid_payload",
  "broken-tlv": "invalid_payload",
  "wrong-crc": "invalid_payload",
  "not-a-slip": "invalid_payload"
} as const satisfies Readonly<Record<ByTag["NoSlip"]["reason"], V1Code>>

/** The v1 error of a failure: the v1 code of its v2 code, except where v1 distinguishes more cases. */
export const toV1Error = (failure: V1Error | Failure): V1Error => {
  if (failure._tag === "V1Error") return failure
  if (failure._tag === "CallerRefused") return v1Error(refusals[failure.reason].v1)
  if (failure._tag === "NoSlip") return v1Error(noSlip[failure.reason])
  if (failure._tag === "WrongSlipKind") return v1Error("invalid_payload")
  if (failure._tag === "ImageUrlFailed" && failure.reason === "invalid-url") return v1Error("invalid_url")
  const { code, isOverload, issues, retryAfterSeconds } = toApiError(failure)
  const v1 = v2Failures[code].v1
  return v1Error(v1, { retryAfterSeconds, isOverload, issues: v1 === "invalid_image" ? issues : undefined })
}
