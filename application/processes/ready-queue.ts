/** A job that has something due, as far as the index or whoever handed it over knows. */
export interface Candidate {
  readonly jobId: string
  /** By what room is shared; undefined when only its stream tells. */
  readonly lane: string | undefined
  /** Its score in the index; undefined when it was handed over. */
  readonly score: number | undefined
}

/** Candidates in front of the gate, lane by lane, first come first served. What there is no room for is turned away. */
export interface Waiting {
  /** False when it is turned away. One that waits already waits on where it is. */
  readonly offer: (candidate: Candidate) => boolean
  readonly has: (jobId: string) => boolean
  readonly size: () => number
  /** Lanes in which somebody waits: first those that had their turn the longest time ago. */
  readonly lanes: () => ReadonlyArray<string | undefined>
  readonly take: (lane: string | undefined) => Candidate | undefined
  /** Sends everybody away who waits in a lane. */
  readonly empty: (lane: string | undefined) => void
}

export const makeWaiting = (most: { readonly inLane: number; readonly inAll: number }): Waiting => {
  const lanes = new Map<string | undefined, Array<Candidate>>()
  const jobs = new Set<string>()

  const empty = (lane: string | undefined) => {
    for (const { jobId } of lanes.get(lane) ?? []) jobs.delete(jobId)
    lanes.delete(lane)
  }

  return {
    offer: (candidate) => {
      const { jobId, lane } = candidate
      if (jobs.has(jobId)) return true
      const queue = lanes.get(lane) ?? []
      if (queue.length >= most.inLane || jobs.size >= most.inAll) return false
      queue.push(candidate)
      lanes.set(lane, queue)
      jobs.add(jobId)
      return true
    },
    has: (jobId) => jobs.has(jobId),
    size: () => jobs.size,
    lanes: () => Array.from(lanes.keys()),
    take: (lane) => {
      const queue = lanes.get(lane)
      const candidate = queue?.shift()
      // To the end of the row.
      lanes.delete(lane)
      if (queue !== undefined && queue.length > 0) lanes.set(lane, queue)
      if (candidate !== undefined) jobs.delete(candidate.jobId)
      return candidate
    },
    empty
  }
}
