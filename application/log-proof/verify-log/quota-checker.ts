import { branches, jobs, slips } from "../../../domain/events/aggregates.ts"
import { formatPosition, type RecordedEvent } from "../../../domain/events/recorded-event.ts"
import type { LoggedEvent } from "../../../ports/log-source.ts"
import { type Finding, finding, type Findings } from "./findings.ts"

/**
 * A request that was admitted under the quota before may be appended after the quota was lowered: a bank answers within
 * seconds, a read model follows the log, and the clocks of processes differ. Within this time the higher quota counts.
 */
const OVERLAP_MILLIS = 600_000

/** Checks that no branch was charged more units of a month than its quota allowed at the time of each charge. */
export interface QuotaChecker {
  /** Takes the next event of the log. An event that cannot be decoded is left out. */
  readonly add: (event: LoggedEvent) => void
  /** Reports the months with too many charges. */
  readonly finish: () => void
}

/** A quota with the time for which it was in force; the present one ends at `Infinity`. Null is unlimited. */
interface Limit {
  readonly quota: number | null
  readonly since: number
  readonly until: number
}

interface Month {
  units: number
  first: Excess | undefined
  most: number
}

interface Excess {
  readonly event: LoggedEvent
  readonly quota: number
}

/** Memory grows with branches, their months and the jobs that have not ended. */
export const makeQuotaChecker = (findings: Findings): QuotaChecker => {
  const limits = new Map<string, Array<Limit>>()
  const months = new Map<string, Month>()
  /** Jobs that hold a unit. The charge of their slip has the same id, and counts once. */
  const holding = new Set<string>()

  const set = (branchId: string, quota: number | null, at: number) => {
    const before = (limits.get(branchId) ?? [])
      .map((limit) => ({ ...limit, until: Math.min(limit.until, at) }))
      // One that was in force for no time, such as that of a branch that is created with a quota, has admitted nothing.
      .filter(({ since, until }) => until > since && until > at - OVERLAP_MILLIS)
    limits.set(branchId, [...before, { quota, since: at, until: Infinity }])
  }

  /** The highest quota that was in force around a time; null for unlimited. */
  const limitOf = (branchId: string, at: number): number | null => {
    const around = (limits.get(branchId) ?? []).filter(({ until }) => until >= at - OVERLAP_MILLIS)
    const quotas = around.flatMap(({ quota }) => quota ?? [])
    return quotas.length === 0 || quotas.length < around.length ? null : Math.max(...quotas)
  }

  const monthOf = (branchId: string, month: string): Month => {
    const key = keyOf(branchId, month)
    let found = months.get(key)
    if (found === undefined) months.set(key, found = { units: 0, first: undefined, most: 0 })
    return found
  }

  const charge = (branchId: string, month: string, event: LoggedEvent) => {
    const of = monthOf(branchId, month)
    of.units++
    const quota = limitOf(branchId, timeOf(event))
    if (quota === null || of.units <= quota) return
    of.first ??= { event, quota }
    of.most = Math.max(of.most, of.units)
  }
  const release = (jobId: string, branchId: string, month: string) => {
    if (holding.delete(jobId)) monthOf(branchId, month).units--
  }

  const ofJob = (event: LoggedEvent) => {
    const decoded = jobs.codec.decode(recorded(event))
    switch (decoded._tag) {
      case "VerificationEnqueued":
        if (!decoded.charged) return
        holding.add(decoded.jobId)
        return charge(decoded.branchId, decoded.month, event)
      case "JobSucceeded":
        return decoded.charged
          ? void holding.delete(decoded.jobId)
          : release(decoded.jobId, decoded.branchId, decoded.month)
      case "JobNotFound":
        return release(decoded.jobId, decoded.branchId, decoded.month)
      case "VerificationAttemptFailed":
        break
    }
  }
  const ofSlip = (event: LoggedEvent) => {
    const { branchId, charged, month, verificationId } = slips.codec.decode(recorded(event))
    if (charged && !holding.has(verificationId)) charge(branchId, month, event)
  }
  const ofBranch = (event: LoggedEvent) => {
    const decoded = branches.codec.decode(recorded(event))
    const branchId = event.stream.slice("branch-".length)
    if (decoded._tag === "BranchCreated") set(branchId, null, timeOf(event))
    if (decoded._tag === "QuotaSet") set(branchId, decoded.quota, timeOf(event))
  }

  return {
    add: (event) => {
      const check = CHECKED.has(event.type) ? event.stream.slice(0, event.stream.indexOf("-")) : ""
      try {
        if (check === "job") ofJob(event)
        else if (check === "slip") ofSlip(event)
        else if (check === "branch") ofBranch(event)
      } catch {
        // The service cannot read it either: its projections stop in front of it and say so.
      }
    },
    finish: () => {
      for (const [key, { first, most }] of months) if (first !== undefined) findings.add(excess(key, most, first))
    }
  }
}

/** The types that charge, release or limit. Others need not be decoded. */
const CHECKED = new Set([
  "SlipVerified",
  "SlipVerifiedAgain",
  "VerificationEnqueued",
  "JobSucceeded",
  "JobNotFound",
  "BranchCreated",
  "QuotaSet"
])

// No id and no month contains a space.
const keyOf = (branchId: string, month: string): string => `${branchId} ${month}`

const excess = (key: string, most: number, { event: { position }, quota }: Excess): Finding => {
  const [branchId, month] = key.split(" ")
  return finding(
    "quota",
    `the branch ${branchId} was charged ${most} units in ${month}, but its quota allowed ${quota}: the first charge above it `
      + `is at position ${formatPosition(position)}`,
    position
  )
}

const timeOf = ({ metadata: { at } }: LoggedEvent): number => Date.parse(at)

/** No signature covers the time at which the store recorded an event, and no charge depends on it. */
const recorded = (event: LoggedEvent): RecordedEvent => ({ ...event, recordedAt: 0 })
