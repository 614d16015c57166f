import { Effect } from "effect"
import {
  eventsOfEach,
  eventsOfJob,
  eventsOfVerifications,
  historyOf,
  relatedEvents,
  relatedEventsOfAll
} from "./trail-sources.ts"
import { bankAccounts, branches, streamOf } from "../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Member } from "../../ports/read-models.ts"
import { membersOfAll } from "../../projections/engine/page.ts"
import { type BankAccountRow, bankAccountRows, bankAccountSets } from "../../projections/models/bank-accounts.ts"
import { jobsInStates, JobStatus } from "../../projections/models/jobs.ts"
import { trailSets } from "../../projections/models/trail-index.ts"

/** The most verifications and jobs in a branch's trail, and the most bank accounts that are searched for it. */
const MAX_ITEMS = 1_000

interface Latest {
  readonly ids: ReadonlyArray<string>
  readonly isTruncated: boolean
}

const latest = (members: ReadonlyArray<Member>): Latest => ({
  ids: members.slice(-MAX_ITEMS).map(({ member }) => member),
  isTruncated: members.length > MAX_ITEMS
})

/**
 * The latest jobs of a branch. The set scores ended jobs by their end. Jobs that were open at `upTo` come after the ended
 * ones, in the order of their end.
 */
const latestJobs = Effect.fnUntraced(function* (branchId: string, upTo: number | undefined) {
  const sets = jobsInStates(JobStatus.literals, branchId)
  if (upTo === undefined) return latest(yield* membersOfAll(sets, {}))
  const ended = latest(yield* membersOfAll(sets, { to: upTo }))
  const later = yield* membersOfAll(sets, { from: upTo + 1, limit: MAX_ITEMS })
  return {
    ids: [...ended.ids, ...later.map(({ member }) => member)],
    isTruncated: ended.isTruncated || later.length === MAX_ITEMS
  } satisfies Latest
})

/** The events of an account under its current and earlier numbers. Each number has its own stream. */
const eventsOfAccount = Effect.fnUntraced(function* (
  { digest, serviceId }: BankAccountRow,
  accountId: string,
  upTo: number | undefined
) {
  const events: Array<RecordedEvent> = []
  // The loop appends to the list. Each digest is read once, also when the account moved back to a number.
  const digests = [digest]
  for (const numberDigest of digests) {
    const history = yield* historyOf(streamOf.bankAccount(serviceId, numberDigest), upTo)
    const accountEvents = history.filter(({ data }) => data["accountId"] === accountId)
    events.push(...accountEvents)
    for (const event of accountEvents.map(bankAccounts.codec.decode)) {
      if (event._tag !== "BankAccountRegistered" || event.movedFrom === null) continue
      if (!digests.includes(event.movedFrom.digest)) digests.push(event.movedFrom.digest)
    }
  }
  return events
})

const concernsBranch = (branchId: string) => ({ data }: RecordedEvent): boolean => {
  const { branchId: singleId, branchIds } = data
  return singleId === branchId || (Array.isArray(branchIds) && branchIds.includes(branchId))
}

/** The events of the accounts that are or were linked to the branch. */
const eventsOfAccounts = Effect.fnUntraced(function* (serviceId: string, branchId: string, upTo: number | undefined) {
  const accountIds = yield* bankAccountSets.ofService(serviceId).names({ limit: MAX_ITEMS + 1 })
  const events = yield* eventsOfEach(
    accountIds.slice(0, MAX_ITEMS),
    Effect.fnUntraced(function* (accountId) {
      const row = yield* bankAccountRows.get(accountId)
      if (row === undefined) return []
      const accountEvents = yield* eventsOfAccount(row, accountId, upTo)
      return accountEvents.some(concernsBranch(branchId))
        ? [...accountEvents, ...(yield* relatedEvents(accountId, upTo))]
        : []
    })
  )
  return { events, isTruncated: accountIds.length > MAX_ITEMS }
})

const serviceOf = (events: ReadonlyArray<RecordedEvent>): string | undefined => {
  const [created] = events.map(branches.codec.decode)
  return created?._tag === "BranchCreated" ? created.serviceId : undefined
}

/**
 * The events of a branch, of its verifications and jobs, and of its bank accounts. Includes at most the latest thousand
 * verifications and jobs. `isTruncated` is true when there are more.
 */
export const eventsOfBranch = Effect.fnUntraced(function* (id: string, upTo?: number) {
  const branchEvents = yield* historyOf(streamOf.branch(id), upTo)
  const range = upTo === undefined ? {} : { to: upTo }
  const verifications = latest(yield* trailSets.verificationsOf(id).members(range))
  const jobs = yield* latestJobs(id, upTo)
  const serviceId = serviceOf(branchEvents)
  const accounts = serviceId === undefined
    ? { events: [], isTruncated: false }
    : yield* eventsOfAccounts(serviceId, id, upTo)
  const verified = [
    ...(yield* eventsOfVerifications(verifications.ids, upTo)),
    ...(yield* eventsOfEach(jobs.ids, (job) => eventsOfJob(job, upTo)))
  ]
  const related = [...(yield* relatedEvents(id, upTo)), ...(yield* relatedEventsOfAll(verified, upTo))]
  return {
    events: [...branchEvents, ...verified, ...accounts.events, ...related],
    isTruncated: verifications.isTruncated || jobs.isTruncated || accounts.isTruncated
  }
})
