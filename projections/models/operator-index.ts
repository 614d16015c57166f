import { Effect } from "effect"
import { branches, jobs, services } from "../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Member, Write } from "../../ports/read-models.ts"
import type { Projection } from "../engine/projection.ts"
import { FixedSet, OrderedSet } from "../engine/read-model.ts"
import {
  listedVerification,
  parseEntry,
  type VerificationClass,
  verificationClasses,
  type VerificationEntry,
  verificationStreams
} from "./verifications.ts"

/**
 * The read model `operator-index`: what operators list and search over all branches. No answer to a merchant reads it, so
 * a new version of it stops nothing else while it is built.
 */
export const operatorIndexModel = { name: "operator-index", version: 1 } as const

const recent = (verificationClass: string) => new FixedSet(operatorIndexModel, `recent:${verificationClass}`)

export const operatorSets = {
  /**
   * The verifications of all branches in one class, scored by their time in milliseconds, within the retention. A member
   * is that of `verifications` with its branch, see `parseRecent`.
   */
  recent: (verificationClass: VerificationClass) => recent(verificationClass),
  /** Slips by the end of their references. All have the score 0, so the members of one end are adjacent. */
  tails: new FixedSet(operatorIndexModel, "tails"),
  /**
   * Names that services and branches have or had, scored by the time in milliseconds at which they got them. `parseName`
   * reads the members.
   */
  names: new OrderedSet(operatorIndexModel, "names")
} as const

/** 64 bits: one among 10 million ends of references finds a wrong slip in one of 10^12 searches. */
const TAIL_DIGITS = 16

/** At most `limit` digests of slips whose references have an end, by its digest. They have no order. */
export const slipsWithTail = (tailDigest: string, limit: number) => {
  const prefix = `${tailDigest.slice(0, TAIL_DIGITS)} `
  return Effect.map(
    operatorSets.tails.names({ after: { member: prefix, score: 0 }, limit }),
    // The range may go on with members of other ends.
    (members) => members.filter((member) => member.startsWith(prefix)).map((member) => member.slice(prefix.length))
  )
}

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
  const event = services.codec.decode(recorded)
  const isNamed = event._tag === "ServiceCreated" || event._tag === "ServiceRenamed"
  return isNamed ? [listName("service", idIn(recorded.stream), event.name, recorded.metadata.at)] : []
}

const ofBranch = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const event = branches.codec.decode(recorded)
  const isNamed = event._tag === "BranchCreated" || event._tag === "BranchRenamed"
  return isNamed ? [listName("branch", idIn(recorded.stream), event.name, recorded.metadata.at)] : []
}

const tailWrites = (tailDigest: string | undefined, slipDigest: string | null): ReadonlyArray<Write> =>
  tailDigest === undefined || slipDigest === null
    ? []
    : [operatorSets.tails.add(`${tailDigest.slice(0, TAIL_DIGITS)} ${slipDigest}`, 0)]

/** A job that is still pending can have read a slip. */
const ofPendingJob = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  if (recorded.type !== "VerificationAttemptFailed") return []
  const event = jobs.codec.decode(recorded)
  return event._tag === "VerificationAttemptFailed" ? tailWrites(event.tailDigest, event.slipDigest) : []
}

const ofVerification = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const listed = listedVerification(recorded)
  if (listed === undefined) return ofPendingJob(recorded)
  const { branchId, entry, slipDigest, tailDigest, verificationClass } = listed
  const { member, score } = withBranch(entry, branchId)
  return [recent(verificationClass).add(member, score), ...tailWrites(tailDigest, slipDigest)]
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
