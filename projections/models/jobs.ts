import { JobStatus } from "../../domain/job.ts"
import { Effect, Schema } from "effect"
import { jobs } from "../../domain/events/aggregates.ts"
import type { JobEnded, JobEvent } from "../../domain/job.ts"
import type { Write } from "../../ports/read-models.ts"
import { decoded } from "../engine/decoded.ts"
import { pageOfAll, type PageQuery, readItems } from "../engine/page.ts"
import type { Projection } from "../engine/projection.ts"
import { laneMember } from "../engine/lane-member.ts"
import { OrderedSet, Table } from "../engine/read-model.ts"
import { whenReady } from "../engine/readiness.ts"

/**
 * The read model `jobs`: attempts that are due, jobs that have not ended, and the jobs of a branch or a slip. It is an
 * index: the stream of a job decides its state. After the retention, jobs that ended leave its rows and lists. They stay
 * in the sets of a branch and of a slip, because trails and erasures need all jobs.
 */
export const jobsModel = { name: "jobs", version: 3 } as const

/** Times are ISO 8601. `nextAttemptAt` is null after the end. */
export const JobRow = Schema.Struct({
  state: JobStatus,
  branchId: Schema.String,
  createdAt: Schema.String,
  attempts: Schema.Int,
  nextAttemptAt: Schema.NullOr(Schema.String)
})
export type JobRow = typeof JobRow.Type

/** By job id; of a job that ended, within the retention. */
export const jobRows = new Table(jobsModel, "jobs", JobRow)

/** The members are job ids, except those of `due`. */
export const jobSets = {
  /**
   * Jobs that have not ended: `laneMember` of branch and job, scored by the due time of the next attempt in
   * milliseconds.
   */
  due: new OrderedSet(jobsModel, "due"),
  /** The same jobs, scored by the time of acceptance. The reconciler finds stuck jobs here. */
  open: new OrderedSet(jobsModel, "open"),
  /** Jobs by state, scored by the time at which they reached it, within the retention. */
  inState: (state: JobStatus) => new OrderedSet(jobsModel, `state:${state}`),
  /** The same for one branch, without retention. */
  inStateOf: (state: JobStatus, branchId: string) => new OrderedSet(jobsModel, `state:${state}:${branchId}`),
  /** Jobs that read a slip, with any outcome, scored by the latest attempt. */
  ofSlip: (slipDigest: string) => new OrderedSet(jobsModel, `slip:${slipDigest}`)
} as const

/** The sets of the jobs in these states, of one branch or of all. */
export const jobsInStates = (states: ReadonlyArray<JobStatus>, branchId: string | undefined) =>
  states.map((state) => branchId === undefined ? jobSets.inState(state) : jobSets.inStateOf(state, branchId))

/** Which jobs to list; ids in lower case. */
export interface JobsQuery extends PageQuery {
  /** Undefined: all states. */
  readonly state: JobStatus | undefined
  readonly branchId: string | undefined
}

/** When the oldest listed job in a state reached it. The sets of branches also have older jobs. */
const oldestIn = Effect.fnUntraced(function* (state: JobStatus) {
  const [first] = yield* jobSets.inState(state).members({ limit: 1 })
  return first?.score ?? Infinity
})

/**
 * Jobs by the time at which they reached their state; pending jobs by the time of acceptance. Jobs that ended are listed
 * within the retention.
 */
export const listJobs = Effect.fn("listJobs")(function* ({ branchId, state, ...page }: JobsQuery) {
  yield* whenReady(jobsModel)
  const sets = yield* Effect.forEach(
    state === undefined ? JobStatus.literals : [state],
    Effect.fnUntraced(function* (each) {
      if (branchId === undefined) return jobSets.inState(each)
      return jobSets.inStateOf(each, branchId).since(yield* oldestIn(each))
    })
  )
  const { items, nextCursor } = yield* pageOfAll(sets, page)
  const jobOf = (jobId: string) => Effect.map(jobRows.get(jobId), (row) => row && { jobId, ...row })
  return { items: yield* readItems(items, jobOf), nextCursor }
})

const expired = (jobId: string, state: JobStatus): ReadonlyArray<Write> => [
  jobRows.delete(jobId),
  jobSets.inState(state).remove(jobId)
]

const ended = ({ at, attempt, branchId, jobId }: JobEnded, state: JobStatus): ReadonlyArray<Write> => [
  jobRows.set(jobId, { state, attempts: attempt, nextAttemptAt: null }),
  jobSets.due.remove(laneMember(branchId, jobId)),
  jobSets.open.remove(jobId),
  jobSets.inState("pending").remove(jobId),
  jobSets.inStateOf("pending", branchId).remove(jobId),
  jobSets.inState(state).add(jobId, at),
  jobSets.inStateOf(state, branchId).add(jobId, at)
]

const writes = (event: JobEvent): ReadonlyArray<Write> => {
  const { jobId } = event
  switch (event._tag) {
    case "VerificationEnqueued": {
      const { at, branchId, nextAttemptAt } = event
      return [
        jobRows.set(jobId, { state: "pending", branchId, createdAt: at, attempts: 0, nextAttemptAt }),
        jobSets.due.add(laneMember(branchId, jobId), nextAttemptAt),
        jobSets.open.add(jobId, at),
        jobSets.inState("pending").add(jobId, at),
        jobSets.inStateOf("pending", branchId).add(jobId, at)
      ]
    }
    case "VerificationAttemptFailed": {
      const { at, attempt: attempts, branchId, nextAttemptAt, slipDigest } = event
      return [
        jobRows.set(jobId, { attempts, nextAttemptAt }),
        // After the last attempt, `JobNotFound` in the same append removes the member.
        ...(nextAttemptAt === null ? [] : [jobSets.due.add(laneMember(branchId, jobId), nextAttemptAt)]),
        ...(slipDigest === null ? [] : [jobSets.ofSlip(slipDigest).add(jobId, at)])
      ]
    }
    case "JobSucceeded":
      return [...ended(event, "success"), jobSets.ofSlip(event.slipDigest).add(jobId, event.at)]
    case "JobNotFound":
      return ended(event, "not_found")
  }
}

export const jobsProjection: Projection = {
  ...jobsModel,
  streams: ["job-"],
  expiring: (["success", "not_found"] as const).map((state) => ({
    set: jobSets.inState(state).set,
    expire: (jobId) => expired(jobId, state)
  })),
  when: (recorded) => writes(decoded(jobs, recorded))
}
