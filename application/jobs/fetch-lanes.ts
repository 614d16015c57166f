import { CappedMap } from "../../domain/capped-map.ts"
import { type Limiter, makeLimiter } from "../processes/limiter.ts"
import type { Candidate } from "../processes/work-queue.ts"

/**
 * Gives jobs with the URL of a picture lanes of their own, because a server may take ten seconds to send the picture.
 * Such jobs never take the slots of other jobs. Only the sealed source of a job says whether it has a URL, so a job
 * changes its lane when a worker first opens it.
 */
export interface FetchLanes {
  readonly limiter: Limiter
  readonly laneOf: (candidate: Candidate) => string
  /** Moves a job to the lane of its branch. Returns false when the job is there already. */
  readonly move: (job: { readonly jobId: string; readonly branchId: string }) => boolean
}

export const makeFetchLanes = (): FetchLanes => {
  const lanes = new CappedMap<string, string>(MAX_MOVED_JOBS)
  const others = makeLimiter(CONCURRENCY)
  const fetches = makeLimiter(FETCH_CONCURRENCY)
  const limiterOf = (lane: string): Limiter => lane.endsWith(SUFFIX) ? fetches : others

  return {
    limiter: {
      acquire: (lane) => limiterOf(lane).acquire(lane),
      isPaused: (lane, now) => limiterOf(lane).isPaused(lane, now)
    },
    laneOf: ({ jobId, lane }) => lanes.get(jobId) ?? lane,
    move: ({ branchId, jobId }) => {
      if (lanes.has(jobId)) return false
      lanes.set(jobId, `${branchId}${SUFFIX}`)
      return true
    }
  }
}

/** Ids of branches contain no space. */
const SUFFIX = " fetch"

/** A job that was removed from the map is opened and moved again. */
const MAX_MOVED_JOBS = 20_000

/** Spare slots for branches without a running job, so that slow jobs of other branches do not hold them up. */
const CONCURRENCY = { total: 64, perLane: 32, spare: 64 }

/** Below the permits of `ImageFetches`, which requests of the branch use too. */
const FETCH_CONCURRENCY = { total: 32, perLane: 8, spare: 32 }
