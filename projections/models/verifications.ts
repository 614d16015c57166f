import { type EndCode, endCodeOf, endCodes, parseEndCode } from "../../domain/failed-verification.ts"
import { jobs, slips, verifications } from "../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { SlipEvent } from "../../domain/slip/slip.ts"
import type { Member } from "../../ports/read-models.ts"
import { decoded } from "../engine/decoded.ts"
import type { Projection } from "../engine/projection.ts"
import { FixedSet } from "../engine/read-model.ts"

/**
 * The read model `verifications`: what each branch verified, for lists and daily counts. Each verification is in exactly
 * one set of its branch, that of its class. It has no rows: a member says what the filters of a list need.
 */
export const verificationsModel = { name: "verifications", version: 2 } as const

/**
 * How a verification ended: the code of its failure, or `v` for a verified slip and `d` for a duplicate, followed by `+`
 * when it was accepted and `-` when it was not. Without a sign it had no conditions.
 */
export type VerificationClass = EndCode | SuccessClass

export const successClasses = ["v", "v+", "v-", "d", "d+", "d-"] as const
export type SuccessClass = (typeof successClasses)[number]
export const verificationClasses: ReadonlyArray<VerificationClass> = [...successClasses, ...endCodes]

/** Whether a class is of verifications with a slip. */
export const isSuccessClass = (verificationClass: string): verificationClass is SuccessClass =>
  successClasses.some((known) => known === verificationClass)
export const isDuplicateClass = (verificationClass: SuccessClass): boolean => verificationClass.startsWith("d")

/** Verifications of a branch in one class, scored by their time in milliseconds. `formatEntry` makes the members. */
const ofClass = (branchId: string, verificationClass: string) =>
  new FixedSet(verificationsModel, `${branchId}:${verificationClass}`)

export const verificationSets = {
  ofClass: (branchId: string, verificationClass: VerificationClass) => ofClass(branchId, verificationClass),
  /**
   * The verifications of a branch that read a slip, except the first one in the service, which is the first event of the
   * slip's stream. Same scores and members.
   */
  ofSlip: (branchId: string, slipDigest: string) => new FixedSet(verificationsModel, `${branchId}:slip:${slipDigest}`)
} as const

/** The sets of all verifications of a branch, or of those in some classes. */
export const verificationsOf = (
  branchId: string,
  classes: ReadonlyArray<VerificationClass> = verificationClasses
): ReadonlyArray<FixedSet> => classes.map((each) => verificationSets.ofClass(branchId, each))

/** What a member says of a verification. A job of a later version may have ended with a code that is not known here. */
interface StoredEntry {
  readonly verificationId: string
  readonly verificationClass: string
  /** In satang; null for a failure, and `unknown` for a duplicate from before its event had the amount. */
  readonly amount: number | "unknown" | null
  /** The ends of the id of the matched account and of the remark's digest; undefined without them. */
  readonly account: string | undefined
  readonly remark: string | undefined
}

export interface VerificationEntry extends StoredEntry {
  readonly verificationClass: VerificationClass
}

/** 48 bits: among a million verifications one in 280 million queries finds a wrong one. */
const DIGITS = 12

/**
 * The part of an id, or of a remark's digest, that stands in a member: the end, because ids begin with a time, which two
 * of them can share.
 */
export const shortOf = (text: string): string => text.slice(-DIGITS)

const NONE = "-"
const UNKNOWN = "?"

// No id, class or digest contains a space.
const formatEntry = ({ account, amount, remark, verificationClass, verificationId }: StoredEntry): string =>
  [verificationId, verificationClass, amount === "unknown" ? UNKNOWN : amount ?? NONE, account ?? NONE, remark ?? NONE]
    .join(" ")

const fieldOf = (text: string): string | undefined => text === NONE ? undefined : text

export const parseEntry = (member: string): VerificationEntry => {
  const [verificationId = "", verificationClass = "", amount = NONE, account = NONE, remark = NONE] = member.split(" ")
  return {
    verificationId,
    verificationClass: isSuccessClass(verificationClass) ? verificationClass : parseEndCode(verificationClass),
    amount: amount === UNKNOWN ? "unknown" : amount === NONE ? null : Number(amount),
    account: fieldOf(account),
    remark: fieldOf(remark)
  }
}

/** The id of the verification that a member stands for; a member that is an id stands for itself. */
export const verificationIdOf = (member: string): string => member.split(" ", 1)[0] ?? member

const shortOrNone = (text: string | undefined): string | undefined => text === undefined ? undefined : shortOf(text)

const classOf = ({ _tag, acceptance }: SlipEvent): VerificationClass => {
  const outcome = _tag === "SlipVerified" ? "v" : "d"
  return acceptance === undefined ? outcome : `${outcome}${acceptance.accepted ? "+" : "-"}`
}

/** The member for a verification with a slip. */
export const entryOfSlip = (event: SlipEvent): Member => ({
  member: formatEntry({
    verificationId: event.verificationId,
    verificationClass: classOf(event),
    amount: event.amount ?? "unknown",
    account: shortOrNone(event.accountId),
    remark: shortOrNone(event.remarkDigest)
  }),
  score: Date.parse(event.at)
})

interface Failure {
  readonly branchId: string
  readonly at: string
  readonly code: string
  readonly slipDigest: string | null
  readonly remarkDigest?: string | undefined
  readonly tailDigest?: string | undefined
}

/** A verification that an event ends, as the read models of verifications list it. */
export interface ListedVerification {
  readonly branchId: string
  readonly verificationClass: string
  /** `formatEntry`, scored by the time of the verification. */
  readonly entry: Member
  /** Null when no slip was read. */
  readonly slipDigest: string | null
  readonly tailDigest: string | undefined
  /** Whether it is the first event of a slip's stream. */
  readonly isFirst: boolean
}

const listFailure = (
  { at, branchId, code, remarkDigest, slipDigest, tailDigest }: Failure,
  verificationId: string
): ListedVerification => {
  const remark = shortOrNone(remarkDigest)
  const entry = { verificationId, verificationClass: code, amount: null, account: undefined, remark }
  return {
    branchId,
    verificationClass: code,
    entry: { member: formatEntry(entry), score: Date.parse(at) },
    slipDigest,
    tailDigest,
    isFirst: false
  }
}

const ofSlip = (recorded: RecordedEvent): ListedVerification => {
  const { stream } = recorded
  const event = decoded(slips, recorded)
  return {
    branchId: event.branchId,
    verificationClass: classOf(event),
    entry: entryOfSlip(event),
    slipDigest: stream.slice(stream.lastIndexOf("-") + 1),
    tailDigest: event.tailDigest,
    isFirst: event._tag === "SlipVerified"
  }
}

const ofFailure = (recorded: RecordedEvent): ListedVerification => {
  const failure = decoded(verifications, recorded)
  return listFailure({ ...failure, code: endCodeOf(failure) }, failure.verificationId)
}

/** A job that succeeded is in the stream of its slip. The others end with the last attempt, which says the slip. */
const ofJob = (recorded: RecordedEvent): ListedVerification | undefined => {
  const event = decoded(jobs, recorded)
  const isLast = event._tag === "VerificationAttemptFailed" && event.nextAttemptAt === null
  return isLast ? listFailure(event, event.jobId) : undefined
}

/** The streams whose events end verifications. */
export const verificationStreams = ["slip-", "verification-", "job-"] as const

/** The verification that an event of `verificationStreams` ends; undefined when it ends none. */
export const listedVerification = (recorded: RecordedEvent): ListedVerification | undefined => {
  if (recorded.stream.startsWith("slip-")) return ofSlip(recorded)
  return recorded.stream.startsWith("job-") ? ofJob(recorded) : ofFailure(recorded)
}

const writesOf = ({ branchId, entry, isFirst, slipDigest, verificationClass }: ListedVerification) => {
  const { member, score } = entry
  return [
    ofClass(branchId, verificationClass).add(member, score),
    ...(isFirst || slipDigest === null ? [] : [verificationSets.ofSlip(branchId, slipDigest).add(member, score)])
  ]
}

export const verificationsProjection: Projection = {
  ...verificationsModel,
  streams: verificationStreams,
  when: (recorded) => {
    const listed = listedVerification(recorded)
    return listed === undefined ? [] : writesOf(listed)
  }
}
