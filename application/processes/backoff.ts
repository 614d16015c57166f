import type { Candidate } from "./ready-queue.ts"

/**
 * What need not be looked at for a while although the index names it: it was just done and the index does not know yet,
 * somebody else has it, or it went wrong. The index is believed again as soon as it says something new of it.
 */
export interface SetAside {
  /** For 250 ms, and twice as long each time that nothing had changed, up to `mostMillis`. */
  readonly put: (candidate: Candidate, now: number, mostMillis: number) => void
  readonly has: (candidate: Candidate, now: number) => boolean
  readonly forget: (jobId: string) => void
}

interface Entry {
  readonly score: number | undefined
  readonly until: number
  readonly times: number
}

export const makeSetAside = (): SetAside => {
  const entries = new Map<string, Entry>()
  let pruneAt = pruneFrom

  /** One whose score is not known was handed over, before the index had it. */
  const isSame = (entry: Entry, { score }: Candidate) =>
    entry.score === undefined || score === undefined || entry.score === score

  const prune = (now: number) => {
    for (const [jobId, { until }] of entries) if (until < now - keptMillis) entries.delete(jobId)
    pruneAt = Math.max(pruneFrom, 2 * entries.size)
  }

  return {
    put: (candidate, now, mostMillis) => {
      const before = entries.get(candidate.jobId)
      const times = before !== undefined && isSame(before, candidate) ? before.times + 1 : 0
      const until = now + Math.min(firstMillis * 2 ** times, mostMillis)
      entries.set(candidate.jobId, { score: candidate.score ?? before?.score, until, times })
      if (entries.size >= pruneAt) prune(now)
    },
    has: (candidate, now) => {
      const entry = entries.get(candidate.jobId)
      return entry !== undefined && now < entry.until && isSame(entry, candidate)
    },
    forget: (jobId) => void entries.delete(jobId)
  }
}

const firstMillis = 250
/** An entry that ran out is remembered for so long, so that the next time is longer. */
const keptMillis = 60_000
const pruneFrom = 1_000
