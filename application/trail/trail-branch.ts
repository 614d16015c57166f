import { Effect } from "effect"
import { historyOf, relatedSegments, type Segment, segmentsAround, verificationSegments } from "./trail-sources.ts"
import { type Section, single } from "./trail-page.ts"
import { disclosures } from "./trail-slip.ts"
import { bankAccounts, branches, streamOf } from "../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Member } from "../../ports/read-models.ts"
import { membersOfAll } from "../../projections/engine/page.ts"
import { type BankAccountRow, bankAccountRows, bankAccountSets } from "../../projections/models/bank-accounts.ts"
import { jobsInStates } from "../../projections/models/jobs.ts"
import { JobStatus } from "../../domain/job.ts"
import { verificationIdOf, verificationsOf } from "../../projections/models/verifications.ts"

/** Events of an account read at a time. */
const CHUNK = 50

const concernsBranch = (branchId: string) => ({ data }: RecordedEvent): boolean => {
  const { branchId: singleId, branchIds } = data
  return singleId === branchId || (Array.isArray(branchIds) && branchIds.includes(branchId))
}

/** The streams of an account under its current and earlier numbers, and whether it is or was linked to the branch. */
const streamsOfAccount = Effect.fnUntraced(function* (
  { digest, serviceId }: BankAccountRow,
  accountId: string,
  branchId: string,
  upTo: number | undefined
) {
  const concerns = concernsBranch(branchId)
  let isLinked = false
  // The loop appends to the list. Each digest is read once, also when the account moved back to a number.
  const digests = [digest]
  for (const numberDigest of digests) {
    const stream = streamOf.bankAccount(serviceId, numberDigest)
    let from = 0
    while (true) {
      const read = yield* historyOf(stream, upTo, { from, limit: CHUNK })
      const events = read.filter(({ data }) => data["accountId"] === accountId)
      isLinked ||= events.some(concerns)
      for (const event of events.map(bankAccounts.codec.decode)) {
        if (event._tag !== "BankAccountRegistered" || event.movedFrom === null) continue
        if (!digests.includes(event.movedFrom.digest)) digests.push(event.movedFrom.digest)
      }
      from += read.length
      if (read.length < CHUNK) break
    }
  }
  return { isLinked, streams: digests.map((numberDigest) => streamOf.bankAccount(serviceId, numberDigest)) }
})

/** The accounts of the service that are or were linked to the branch. */
const accounts = (serviceId: string, branchId: string, upTo: number | undefined): Section => ({
  name: "accounts",
  items: (range) => bankAccountSets.ofService(serviceId).members(range),
  segments: Effect.fnUntraced(function* ({ member: accountId }) {
    const row = yield* bankAccountRows.get(accountId)
    if (row === undefined) return []
    const { isLinked, streams } = yield* streamsOfAccount(row, accountId, branchId, upTo)
    if (!isLinked) return []
    const has = ({ data }: RecordedEvent) => data["accountId"] === accountId
    return [...streams.map((stream): Segment => ({ stream, has })), ...yield* relatedSegments(accountId)]
  })
})

const segmentsOf = Effect.fnUntraced(function* ({ member }: Member) {
  const id = verificationIdOf(member)
  return [...yield* verificationSegments(id), ...yield* segmentsAround(id)]
})

/** Whether an item is a job whose verification is an item of its own: the verification has another time. */
const isOfVerification = Effect.fnUntraced(function* ({ member, score }: Member, upTo: number) {
  const [verified] = yield* verificationSegments(verificationIdOf(member))
  if (verified === undefined) return false
  const [event] = yield* historyOf(verified.stream, upTo, { from: verified.from ?? 0, limit: 1 })
  return event !== undefined && Date.parse(event.metadata.at) !== score
})

/** Verifications, jobs that ended without a slip, and pending jobs, newest first. */
const verifications = (branchId: string): Section => {
  const sets = [...verificationsOf(branchId), ...jobsInStates(["pending"], branchId)]
  return {
    name: "verifications",
    items: (range) => membersOfAll(sets, { ...range, reverse: true }),
    segments: segmentsOf
  }
}

/**
 * The same up to a time. Also jobs that had succeeded, in case their verifications are later by the clock of a process.
 */
const verificationsUntil = (branchId: string, upTo: number): Section => {
  const sets = [...verificationsOf(branchId), ...jobsInStates(["pending", "success"], branchId)]
  return {
    name: "verifications",
    items: (range) => membersOfAll(sets, { ...range, to: upTo, reverse: true }),
    segments: Effect.fnUntraced(function* (item) {
      return (yield* isOfVerification(item, upTo)) ? [] : yield* segmentsOf(item)
    })
  }
}

/** Jobs that were open at a time: they are scored by their later end. */
const openJobs = (branchId: string, upTo: number): Section => ({
  name: "open-jobs",
  items: (range) => membersOfAll(jobsInStates(JobStatus.literals, branchId), { ...range, from: upTo + 1 }),
  segments: Effect.fnUntraced(function* (job) {
    const begun = yield* historyOf(streamOf.job(job.member), upTo, { limit: 1 })
    return begun.length === 0 ? [] : yield* segmentsOf(job)
  })
})

const serviceOf = Effect.fnUntraced(function* (branchId: string) {
  const [created] = (yield* historyOf(streamOf.branch(branchId), undefined, { limit: 1 })).map(branches.codec.decode)
  return created?._tag === "BranchCreated" ? created.serviceId : undefined
})

/** A branch, disclosures, its bank accounts, and then its verifications and jobs, newest first. */
export const branchSections = Effect.fnUntraced(function* (branchId: string, upTo: number | undefined) {
  const serviceId = yield* serviceOf(branchId)
  return [
    single("branch", Effect.succeed([{ stream: streamOf.branch(branchId) }])),
    disclosures(branchId),
    ...serviceId === undefined ? [] : [accounts(serviceId, branchId, upTo)],
    ...upTo === undefined ? [verifications(branchId)] : [verificationsUntil(branchId, upTo), openJobs(branchId, upTo)]
  ] satisfies ReadonlyArray<Section>
})
