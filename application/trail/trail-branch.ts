import { Effect } from "effect"
import { streamOf } from "../../domain/events/streams.ts"
import { bankAccounts, branches } from "../../domain/events/aggregates.ts"
import { type BankAccountRow, bankAccountRows, bankAccountSets } from "../../projections/models/bank-accounts.ts"
import { duplicateSets } from "../../projections/models/duplicates.ts"
import { jobsInStates, JobStatus } from "../../projections/models/jobs.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Member } from "../../ports/read-models.ts"
import { membersOfAll } from "../../projections/engine/page.ts"
import { courseOf, eventsAround, eventsAroundAll, eventsOfEach, verdictsOf } from "./trail-sources.ts"
import { historyOf } from "./trail-subject.ts"

/** How many of a branch's verifications are told, how many of its jobs, and in how many accounts it is looked for. */
const MOST = 1_000

interface Latest {
  readonly ids: ReadonlyArray<string>
  readonly isTruncated: boolean
}

const latest = (members: ReadonlyArray<Member>): Latest => ({
  ids: members.slice(-MOST).map(({ member }) => member),
  isTruncated: members.length > MOST
})

/** Jobs stand where they came to their end: those that were open at the moment come behind it, nearest first. */
const jobsOf = Effect.fnUntraced(function* (branchId: string, upTo: number | undefined) {
  const sets = jobsInStates(JobStatus.literals, branchId)
  if (upTo === undefined) return latest(yield* membersOfAll(sets, {}))
  const ended = latest(yield* membersOfAll(sets, { to: upTo }))
  const later = yield* membersOfAll(sets, { from: upTo + 1, limit: MOST })
  return {
    ids: [...ended.ids, ...later.map(({ member }) => member)],
    isTruncated: ended.isTruncated || later.length === MOST
  } satisfies Latest
})

/** An account in the stream of the number that it has, and in those of the numbers that it had before. */
const courseOfAccount = Effect.fnUntraced(function* (
  { digest, serviceId }: BankAccountRow,
  accountId: string,
  upTo: number | undefined
) {
  const course: Array<RecordedEvent> = []
  const digests = [digest]
  // Grows while it is walked through; an account may have moved back and forth.
  for (const place of digests) {
    const events = yield* historyOf(streamOf.bankAccount(serviceId, place), upTo)
    const own = events.filter(({ data }) => data["accountId"] === accountId)
    course.push(...own)
    for (const event of own.map(bankAccounts.codec.decode)) {
      if (event._tag !== "BankAccountRegistered" || event.movedFrom === null) continue
      if (!digests.includes(event.movedFrom.digest)) digests.push(event.movedFrom.digest)
    }
  }
  return course
})

const concerns = (branchId: string) => ({ data }: RecordedEvent): boolean => {
  const { branchId: own, branchIds } = data
  return own === branchId || (Array.isArray(branchIds) && branchIds.includes(branchId))
}

/** The accounts of its service that the branch is or was linked to. */
const accountsOf = Effect.fnUntraced(function* (serviceId: string, branchId: string, upTo: number | undefined) {
  const accountIds = yield* bankAccountSets.ofService(serviceId).names({ limit: MOST + 1 })
  const events = yield* eventsOfEach(
    accountIds.slice(0, MOST),
    Effect.fnUntraced(function* (accountId) {
      const row = yield* bankAccountRows.get(accountId)
      if (row === undefined) return []
      const course = yield* courseOfAccount(row, accountId, upTo)
      return course.some(concerns(branchId)) ? [...course, ...(yield* eventsAround(accountId, upTo))] : []
    })
  )
  return { events, isTruncated: accountIds.length > MOST }
})

const serviceOf = (events: ReadonlyArray<RecordedEvent>): string | undefined => {
  const [created] = events.map(branches.codec.decode)
  return created?._tag === "BranchCreated" ? created.serviceId : undefined
}

/**
 * What was done to a branch, what it verified and handed over, and the accounts that it receives money on. Of what there
 * is more than a thousand of, the latest; then `isTruncated`.
 */
export const eventsOfBranch = Effect.fnUntraced(function* (id: string, upTo?: number) {
  const own = yield* historyOf(streamOf.branch(id), upTo)
  const range = upTo === undefined ? {} : { to: upTo }
  const verifications = latest(yield* duplicateSets.ofBranch(id).members(range))
  const jobs = yield* jobsOf(id, upTo)
  const serviceId = serviceOf(own)
  const accounts = serviceId === undefined ? { events: [], isTruncated: false } : yield* accountsOf(serviceId, id, upTo)
  const verified = [
    ...(yield* verdictsOf(verifications.ids, upTo)),
    ...(yield* eventsOfEach(jobs.ids, (job) => courseOf(job, upTo)))
  ]
  const around = [...(yield* eventsAround(id, upTo)), ...(yield* eventsAroundAll(verified, upTo))]
  return {
    events: [...own, ...verified, ...accounts.events, ...around],
    isTruncated: verifications.isTruncated || jobs.isTruncated || accounts.isTruncated
  }
})
