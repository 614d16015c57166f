import { Effect } from "effect"
import { branches, jobs, services } from "../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Member, Write } from "../../ports/read-models.ts"
import { decoded } from "../engine/decoded.ts"
import type { Projection } from "../engine/projection.ts"
import { FixedSet, OrderedSet } from "../engine/read-model.ts"
import {
  listedVerification,
  parseEntry,
  shortOf,
  type VerificationClass,
  verificationClasses,
  type VerificationEntry,
  verificationStreams
} from "./verifications.ts"

/**
 * The read model `operator-index`: what operators list and search over all branches. Of a merchant's answers only the
 * search by the end of a reference reads it, so a new version of it stops nothing else while it is built.
 */
export const operatorIndexModel = { name: "operator-index", version: 2 } as const

const recent = (verificationClass: string) => new FixedSet(operatorIndexModel, `recent:${verificationClass}`)

export const operatorSets = {
  /**
   * The verifications of all branches in one class, scored by their time in milliseconds, within the retention. A member
   * is that of `verifications` with its branch, see `parseRecent`.
   */
  recent: (verificationClass: VerificationClass) => recent(verificationClass),
  /**
   * Slips by the end of their references and the branch that had them. All have the score 0, so the members of one end are
   * adjacent, and among them those of one branch.
   */
  tails: new FixedSet(operatorIndexModel, "tails"),
  /**
   * Names that services and branches have or had, scored by the time in milliseconds at which they got them. `parseName`
   * reads the members.
   */
  names: new OrderedSet(operatorIndexModel, "names")
} as const

/** 64 bits: one among 10 million ends of references finds a wrong slip in one of 10^12 searches. */
const TAIL_DIGITS = 16

const tailPrefix = (tailDigest: string): string => `${tailDigest.slice(0, TAIL_DIGITS)} `

/** A branch whose id ends with the same digits only makes a search read further slips, which that search drops. */
const branchTailPrefix = (tailDigest: string, branchId: string): string =>
  `${tailPrefix(tailDigest)}${shortOf(branchId)} `

const slipOf = ({ member }: Member): string => member.slice(member.lastIndexOf(" ") + 1)

/** At most `limit` entries of `tails` for an end of a reference, by its digest, as the digests of their slips. */
export const slipsWithTail = (tailDigest: string, limit: number) =>
  Effect.map(operatorSets.tails.beginningWith(tailPrefix(tailDigest), { limit }), (tails) => tails.map(slipOf))

/**
 * The same for the slips of one branch. It reads `limit` entries from the place of the branch on, also when these are of
 * other ends: so its time does not depend on the slips of other branches.
 */
export const branchSlipsWithTail = (tailDigest: string, branchId: string, limit: number) =>
  Effect.map(
    operatorSets.tails.beginningWith(branchTailPrefix(tailDigest, branchId), { limit }),
    (tails) => tails.map(slipOf)
  )

/** A verification in `recent`. */
export interface RecentVerification extends VerificationEntry {
  readonly branchId: string
}

/** A member of `verifications` with its branch, as in `recent`. No id contains a space. */
export const withBranch = ({ member, score }: Member, branchId: string): Member => ({
  member: `${member} ${branchId}`,
  score
})

/** The opposite of `withBranch`. */
export const withoutBranch = ({ member, score }: Member): Member => ({
  member: member.slice(0, member.lastIndexOf(" ")),
  score
})

export const parseRecent = (member: string): RecentVerification => ({
  ...parseEntry(member),
  branchId: member.slice(member.lastIndexOf(" ") + 1)
})

/** A name of a service or a branch, in the form in which names are compared. */
export interface ListedName {
  readonly kind: "service" | "branch"
  readonly id: string
  readonly name: string
}

/** The form in which names are compared: case and the width of characters make no difference. */
export const comparableName = (name: string): string => name.normalize("NFKC").toLowerCase()

const listName = (kind: ListedName["kind"], id: string, name: string, at: string): Write =>
  operatorSets.names.add(`${kind} ${id} ${comparableName(name)}`, at)

export const parseName = (member: string): ListedName => {
  const [kind, id = ""] = member.split(" ", 2)
  return { kind: kind === "service" ? kind : "branch", id, name: member.slice(`${kind} ${id} `.length) }
}

const idIn = (stream: string): string => stream.slice(stream.indexOf("-") + 1)

const ofService = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const event = decoded(services, recorded)
  const isNamed = event._tag === "ServiceCreated" || event._tag === "ServiceRenamed"
  return isNamed ? [listName("service", idIn(recorded.stream), event.name, recorded.metadata.at)] : []
}

const ofBranch = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const event = decoded(branches, recorded)
  const isNamed = event._tag === "BranchCreated" || event._tag === "BranchRenamed"
  return isNamed ? [listName("branch", idIn(recorded.stream), event.name, recorded.metadata.at)] : []
}

interface ReadSlip {
  readonly branchId: string
  readonly slipDigest: string | null
  readonly tailDigest?: string | undefined
}

const tailWrites = ({ branchId, slipDigest, tailDigest }: ReadSlip): ReadonlyArray<Write> =>
  tailDigest === undefined || slipDigest === null
    ? []
    : [operatorSets.tails.add(`${branchTailPrefix(tailDigest, branchId)}${slipDigest}`, 0)]

/** A job that is still pending can have read a slip. */
const ofPendingJob = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  if (recorded.type !== "VerificationAttemptFailed") return []
  const event = decoded(jobs, recorded)
  return event._tag === "VerificationAttemptFailed" ? tailWrites(event) : []
}

const ofVerification = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const listed = listedVerification(recorded)
  if (listed === undefined) return ofPendingJob(recorded)
  const { branchId, entry, verificationClass } = listed
  const { member, score } = withBranch(entry, branchId)
  return [recent(verificationClass).add(member, score), ...tailWrites(listed)]
}

export const operatorIndexProjection: Projection = {
  ...operatorIndexModel,
  streams: [...verificationStreams, "service-", "branch-"],
  expiring: verificationClasses.map((each) => {
    const set = operatorSets.recent(each)
    return { set: set.set, expire: (member, score) => [set.remove(member, score)] }
  }),
  when: (recorded) => {
    if (recorded.stream.startsWith("service-")) return ofService(recorded)
    return recorded.stream.startsWith("branch-") ? ofBranch(recorded) : ofVerification(recorded)
  }
}
