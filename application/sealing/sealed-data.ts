import { Effect, Schema } from "effect"
import {
  type BankAccountFields,
  type PersonalFields,
  personalFields,
  personalOf
} from "../../domain/bank-account/fields.ts"
import { streamOf } from "../../domain/events/aggregates.ts"
import { recordIn, recordOfBankAccount } from "../../domain/events/sealed-record.ts"
import { placeOf, type Sealed } from "../../domain/sealed.ts"
import { ListedReceiver, Matching } from "../../domain/slip/matching/receiving-account.ts"
import { Transfer } from "../../domain/slip/transfer.ts"
import { Vault } from "../../ports/vault.ts"

/** Purposes of the sealed fields of a slip's events, by field. */
export const slipPurposes = {
  transfer: "slip-transfer",
  remark: "slip-remark",
  upstream: "bank-answer",
  matching: "account-matching"
} as const

/** Purposes of the sealed fields of a job's events, by field. */
export const jobPurposes = { source: "job-source", result: "job-result", receivers: "job-receivers" } as const

/** The purpose of the sealed text of a note. */
export const notePurposes = { note: "verification-note" } as const

export const accountPurpose = "bank-account"

/** The digest that identifies a slip without its transRef (docs/spec/events.md, "Personal data"). */
export const slipDigest = (sendingBank: string, transRef: string) =>
  Effect.map(Vault, (vault) => vault.digest("slip", `${sendingBank}:${transRef}`))

/** How many characters at the end of a reference find its slip. */
export const TAIL_LENGTH = 6

/** The digest by which operators and branches find a slip from the end of its reference. Case makes no difference. */
export const tailDigest = (reference: string) =>
  Effect.map(Vault, (vault) => vault.digest("reference-tail", reference.slice(-TAIL_LENGTH).toUpperCase()))

/** Both digests of a slip. */
export const slipDigests = (sendingBank: string, transRef: string) =>
  Effect.zipWith(
    slipDigest(sendingBank, transRef),
    tailDigest(transRef),
    (slipDigest, tailDigest) => ({ slipDigest, tailDigest })
  )

/** Identifies the erasure of a job that has read no slip. No slip has this digest: no bank is called `job`. */
export const digestOfJobAlone = (jobId: string) => slipDigest("job", jobId)

/**
 * The digest that identifies an account without its number (docs/spec/events.md, "Personal data"). Merchants of one
 * biller have one number, and differ by their reference and merchant id.
 */
export const numberDigest = ({ bankCode, bankNumber, merchantId, ref1 }: BankAccountFields) => {
  const merchant = ref1 === null && merchantId === null ? "" : `:${ref1 ?? ""}:${merchantId ?? ""}`
  return Effect.map(Vault, (vault) => vault.digest(accountPurpose, `${bankCode}:${bankNumber}${merchant}`))
}

/**
 * The subject whose key seals the data of a verified slip in one service (docs/spec/events.md, "Personal data"). Each
 * service has its own: otherwise a service could see from its own slip that another service's was erased.
 */
export const subjectOfSlip = (serviceId: string, slipDigest: string): string => `slip:${serviceId}:${slipDigest}`

/**
 * The subject whose key seals what banks answered when they did not find a slip, in every service. It also sealed the
 * data of verified slips before each service had its own key.
 */
export const subjectOfSlipEverywhere = (slipDigest: string): string => `slip:${slipDigest}`

/** The subject whose key seals all data of a job. The slip's key is not used: the slip may be unknown until the end. */
export const subjectOfJob = (jobId: string): string => `job:${jobId}`

/** What a sealed value belongs to: the record that it is bound to, and the subject whose key seals it. */
export interface SealedFor {
  readonly record: string
  /** Undefined: the master key. */
  readonly subject: string | undefined
}

/** The verification of a slip; `stream` is the slip's. */
export const sealedForSlip = (
  stream: string,
  { serviceId, slipDigest, verificationId }: {
    readonly serviceId: string
    readonly slipDigest: string
    readonly verificationId: string
  }
): SealedFor => ({ record: recordIn(stream, verificationId), subject: subjectOfSlip(serviceId, slipDigest) })

export const sealedForJob = (jobId: string): SealedFor => ({
  record: streamOf.job(jobId),
  subject: subjectOfJob(jobId)
})

/** A verification that found no slip. `record` is that of its failed event. */
export const sealedForUnfound = (record: string, slipDigest: string): SealedFor => ({
  record,
  subject: subjectOfSlipEverywhere(slipDigest)
})

/** Seals a text of an event. */
export const sealFor = (purpose: string, text: string, { record, subject }: SealedFor) =>
  Vault.use((vault) => vault.seal(purpose, text, subject, record))

const NOWHERE = { record: "", position: undefined } as const

/**
 * Opens a value where it stands. A value that has no place, because it was not read from an event, is bound to no record
 * that is known: it does not open.
 */
export const openPlaced = (purpose: string, sealed: Sealed) =>
  Vault.use((vault) => vault.open(purpose, sealed, placeOf(sealed) ?? NOWHERE))

/** Opens a text; undefined after its subject was erased. Any other failure is a defect: a lost key or a changed log. */
const openText = (purpose: string, sealed: Sealed) =>
  openPlaced(purpose, sealed).pipe(
    Effect.catchIf(({ reason }) => reason === "forgotten", () => Effect.undefined),
    Effect.orDie
  )

/** As `openText`, for JSON that a schema decodes. */
const openJson = <A>(purpose: string, schema: Schema.Codec<A, Schema.Json>) => {
  const decode = Schema.decodeEffect(Schema.fromJsonString(schema))
  return Effect.fnUntraced(function* (sealed: Sealed) {
    const text = yield* openText(purpose, sealed)
    return text === undefined ? undefined : yield* Effect.orDie(decode(text))
  })
}

export const sealTransfer = (transfer: Transfer, owner: SealedFor) =>
  sealFor(slipPurposes.transfer, JSON.stringify(transfer), owner)

export const openTransfer = openJson(slipPurposes.transfer, Transfer)

/** Seals the body of a bank's response, unchanged. */
export const sealUpstream = (body: string | null, owner: SealedFor) =>
  body === null ? Effect.succeed(null) : sealFor(slipPurposes.upstream, body, owner)

const sealMatching = (matching: Matching | null, owner: SealedFor) =>
  matching === null ? Effect.succeed(null) : sealFor(slipPurposes.matching, JSON.stringify(matching), owner)

/** A comparison for an event, and the account that matched. */
export const matchingFields = (matching: Matching | null, owner: SealedFor) =>
  Effect.map(sealMatching(matching, owner), (sealed) => ({ matching: sealed, accountId: matching?.account?.id }))

const openRecordedMatching = openJson(slipPurposes.matching, Matching)

/** Opens a comparison; null when none was made, or after the slip was erased. */
export const openMatching = (sealed: Sealed | null) =>
  sealed === null ? Effect.succeed(null) : Effect.map(openRecordedMatching(sealed), (matching) => matching ?? null)

const sealRemark = (remark: string | undefined, owner: SealedFor) =>
  remark === undefined ? Effect.succeed(null) : sealFor(slipPurposes.remark, remark, owner)

/**
 * The digests by which a remark is found, each within its branch. Case, the width of characters and the amount of white
 * space make no difference.
 */
export const remarkDigests = (remark: string) =>
  Effect.map(Vault, ({ digest }) => {
    const normalized = remark.normalize("NFKC").trim().replace(/\s+/gu, " ").toLowerCase()
    return (branchId: string): string => digest("remark", `${branchId}:${normalized}`)
  })

/** The digest by which a remark is found within its branch; undefined without a remark. */
export const remarkDigest = (branchId: string, remark: string | undefined) =>
  remark === undefined ? Effect.undefined : Effect.map(remarkDigests(remark), (digestIn) => digestIn(branchId))

/** The remark of a branch for an event. */
export const remarkFields = (
  { branchId, remark }: { readonly branchId: string; readonly remark?: string | undefined },
  owner: SealedFor
) =>
  Effect.zipWith(
    sealRemark(remark, owner),
    remarkDigest(branchId, remark),
    (remark, remarkDigest) => ({ remark, remarkDigest })
  )

/** Opens a remark; undefined without one, or after its subject was erased. */
export const openRemark = (sealed: Sealed | null) =>
  sealed === null ? Effect.undefined : openText(slipPurposes.remark, sealed)

/** Seals a note under the subject of what it is about; undefined: under the master key. */
export const sealNote = (
  text: string,
  { noteId, subject, verificationId }: {
    readonly verificationId: string
    readonly noteId: string
    readonly subject: string | undefined
  }
) => sealFor(notePurposes.note, text, { record: recordIn(streamOf.notes(verificationId), noteId), subject })

/** The text of a note; undefined after its subject was erased. */
export const openNote = (sealed: Sealed) => openText(notePurposes.note, sealed)

/** A failure that was found when the job was accepted. The first attempt ends the job with it. */
export const JobFault = Schema.Struct({
  /** An error code and its message (docs/spec/http.md, "GET job data"). */
  code: Schema.String,
  message: Schema.String,
  /** For a person, in the trail. */
  why: Schema.String
})
export type JobFault = typeof JobFault.Type

/**
 * The input of a job. A picture is read when the job is accepted, and the job stores its payload or a fault. A URL is
 * fetched at every attempt.
 */
export const JobSource = Schema.Union([
  Schema.Struct({ payload: Schema.String }),
  Schema.Struct({ url: Schema.String }),
  /** The URL of a TrueMoney slip's picture. A separate field: an older process must not take it for a bank's slip. */
  Schema.Struct({ walletUrl: Schema.String }),
  Schema.Struct({ fault: JobFault })
])
export type JobSource = typeof JobSource.Type

export const sealJobSource = (source: JobSource, jobId: string) =>
  sealFor(jobPurposes.source, JSON.stringify(source), sealedForJob(jobId))

export const openJobSource = openJson(jobPurposes.source, JobSource)

/** Seals the accounts that the conditions of a job list; undefined when they list none. */
export const sealReceivers = (receivers: ReadonlyArray<ListedReceiver>, jobId: string) =>
  receivers.length === 0
    ? Effect.undefined
    : sealFor(jobPurposes.receivers, JSON.stringify(receivers), sealedForJob(jobId))

const openRecordedReceivers = openJson(jobPurposes.receivers, Schema.Array(ListedReceiver))

/** Opens the accounts that the conditions of a job list; none without them, or after the job was erased. */
export const openReceivers = (sealed: Sealed | undefined) =>
  sealed === undefined ? Effect.succeed([]) : Effect.map(openRecordedReceivers(sealed), (receivers) => receivers ?? [])

/** Why a job has no slip, as its callback says it (docs/spec/http.md, "GET job data"). */
const JobError = Schema.Struct({
  code: Schema.String,
  message: Schema.String,
  detail: Schema.optionalKey(Schema.String),
  issues: Schema.optionalKey(Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String })))
})

/** The fields of a callback's body that this service reads (docs/spec/http.md, "Callback"). */
const JobResult = Schema.Struct({
  data: Schema.optionalKey(Schema.Json),
  error: Schema.optionalKey(JobError),
  timestamp: Schema.String
})

export type JobError = typeof JobError.Type
export type StoredJobResult = typeof JobResult.Type

/** Seals the body of a callback. */
export const sealJobResult = (body: string, jobId: string) => sealFor(jobPurposes.result, body, sealedForJob(jobId))

/** The body of a callback, byte for byte. */
export const openJobResult = (sealed: Sealed) => openText(jobPurposes.result, sealed)

export const readJobResult = openJson(jobPurposes.result, JobResult)

/** The sealed fields of a bank account. */
export const Details = Schema.Struct(personalFields)
const openRecordedDetails = openJson(accountPurpose, Details)

/** Seals under the master key, because accounts have no subject key. */
export const sealDetails = (
  fields: PersonalFields,
  { accountId, serviceId }: { readonly accountId: string; readonly serviceId: string }
) =>
  sealFor(accountPurpose, JSON.stringify(personalOf(fields)), {
    record: recordOfBankAccount(serviceId, accountId),
    subject: undefined
  })

export const openDetails = (sealed: Sealed) =>
  Effect.flatMap(
    openRecordedDetails(sealed),
    (details) =>
      details === undefined
        ? Effect.die(new Error("the key that sealed the details of a bank account was destroyed"))
        : Effect.succeed(personalOf(details))
  )
