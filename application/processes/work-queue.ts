import { waitLeft } from "../../domain/waits.ts"

/** A job that may have a due step. */
export interface Candidate {
  readonly jobId: string
  readonly lane: string
  /** Its score in the due index; undefined when it comes from a notification. */
  readonly score: number | undefined
}

/** Candidates that wait for a permit: a first-in, first-out queue for each lane, with limits. */
export interface ReadyQueue {
  /** Returns false when the queue is full. A candidate that is already queued keeps its place. */
  readonly offer: (candidate: Candidate) => boolean
  readonly size: () => number
  /** Lanes with candidates; the lane that was served longest ago comes first. */
  readonly lanes: () => ReadonlyArray<string>
  readonly take: (lane: string) => Candidate | undefined
  readonly clearLane: (lane: string) => void
}

export const makeReadyQueue = (max: { readonly perLane: number; readonly total: number }): ReadyQueue => {
  const lanes = new Map<string, Array<Candidate>>()
  const jobIds = new Set<string>()

  return {
    offer: (candidate) => {
      const { jobId, lane } = candidate
      if (jobIds.has(jobId)) return true
      const queue = lanes.get(lane) ?? []
      if (queue.length >= max.perLane || jobIds.size >= max.total) return false
      queue.push(candidate)
      lanes.set(lane, queue)
      jobIds.add(jobId)
      return true
    },
    size: () => jobIds.size,
    lanes: () => Array.from(lanes.keys()),
    take: (lane) => {
      const queue = lanes.get(lane)
      const candidate = queue?.shift()
      // Moves the lane behind the others.
      lanes.delete(lane)
      if (queue !== undefined && queue.length > 0) lanes.set(lane, queue)
      if (candidate !== undefined) jobIds.delete(candidate.jobId)
      return candidate
    },
    clearLane: (lane) => {
      for (const { jobId } of lanes.get(lane) ?? []) jobIds.delete(jobId)
      lanes.delete(lane)
    }
  }
}

/**
 * Jobs that the driver skips for a while, although the due index contains them. The index is stale after a step,
 * another worker holds the claim, or the step failed. A new score in the index ends the backoff.
 */
export interface Backoff {
  /** Skips a job for 250 ms. The time doubles each time that the score is the same, up to `maxMillis`. */
  readonly add: (candidate: Candidate, now: number, maxMillis: number) => void
  readonly has: (candidate: Candidate, now: number) => boolean
  readonly remove: (jobId: string) => void
}

interface BackoffEntry {
  readonly score: number | undefined
  readonly until: number
  /** The longest backoff of this entry. */
  readonly maxMillis: number
  readonly times: number
}

export const makeBackoff = (): Backoff => {
  const entries = new Map<string, BackoffEntry>()
  let pruneAt = PRUNE_FROM

  /** An undefined score comes from a notification, which may be ahead of the index. */
  const isSame = (entry: BackoffEntry, { score }: Candidate) =>
    entry.score === undefined || score === undefined || entry.score === score

  const prune = (now: number) => {
    for (const [jobId, { until }] of entries) if (until < now - EXPIRED_ENTRY_MILLIS) entries.delete(jobId)
    pruneAt = Math.max(PRUNE_FROM, 2 * entries.size)
  }

  return {
    add: (candidate, now, maxMillis) => {
      const before = entries.get(candidate.jobId)
      const times = before !== undefined && isSame(before, candidate) ? before.times + 1 : 0
      const until = now + Math.min(FIRST_MILLIS * 2 ** times, maxMillis)
      entries.set(candidate.jobId, { score: candidate.score ?? before?.score, until, maxMillis, times })
      if (entries.size >= pruneAt) prune(now)
    },
    has: (candidate, now) => {
      const entry = entries.get(candidate.jobId)
      return entry !== undefined && waitLeft(entry.until, now, entry.maxMillis) > 0 && isSame(entry, candidate)
    },
    remove: (jobId) => void entries.delete(jobId)
  }
}

const FIRST_MILLIS = 250
/** An expired entry stays for this long, so that the next backoff is longer. */
const EXPIRED_ENTRY_MILLIS = 60_000
const PRUNE_FROM = 1_000
