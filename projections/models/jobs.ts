import { Effect, Schema } from "effect"
import { jobs } from "../../domain/events/aggregates.ts"
import type { JobEnded, JobEvent } from "../../domain/job.ts"
import type { Write } from "../../ports/read-models.ts"
import { pageOfAll, type PageQuery } from "../engine/page.ts"
import type { Projection } from "../engine/projection.ts"
import { laneMember } from "../engine/lane-member.ts"
import { OrderedSet, Table } from "../engine/read-model.ts"
import { whenReady } from "../engine/readiness.ts"

/**
 * The read model `jobs`: which attempts are due, what has not ended, and which jobs a branch or a slip has. It says
 * where to look; the stream of a job decides its state.
 */
export const jobsModel = { name: "jobs", version: 3 } as const

export const JobStatus = Schema.Literals(["pending", "success", "not_found"])
export type JobStatus = typeof JobStatus.Type

/** Times are ISO 8601; `nextAttemptAt` is null at the end. */
export const JobRow = Schema.Struct({
  state: JobStatus,
  branchId: Schema.String,
  createdAt: Schema.String,
  attempts: Schema.Int,
  nextAttemptAt: Schema.NullOr(Schema.String)
})
export type JobRow = typeof JobRow.Type

/** By job id. */
export const jobRows = new Table(jobsModel, "jobs", JobRow)

/** The members are job ids, except those of `due`. */
export const jobSets = {
  /** `laneMember` of a branch and a job that has not ended, scored by when its next attempt is due, in milliseconds. */
  due: new OrderedSet(jobsModel, "due"),
  /** The same jobs, scored by when they were accepted: from here a job that is stuck is found. */
  open: new OrderedSet(jobsModel, "open"),
  /** Jobs by state, scored by when they came into it. */
  inState: (state: JobStatus) => new OrderedSet(jobsModel, `state:${state}`),
  /** The same of one branch. */
  inStateOf: (state: JobStatus, branchId: string) => new OrderedSet(jobsModel, `state:${state}:${branchId}`),
  /** Jobs in which that slip was read, with any outcome, scored by the latest attempt. */
  ofSlip: (slipDigest: string) => new OrderedSet(jobsModel, `slip:${slipDigest}`)
} as const

/** The sets of the jobs in these states, of one branch or of all. */
export const jobsInStates = (states: ReadonlyArray<JobStatus>, branchId: string | undefined) =>
  states.map((state) => branchId === undefined ? jobSets.inState(state) : jobSets.inStateOf(state, branchId))

/** Which jobs to list; ids in lower case. */
export interface JobsQuery extends PageQuery {
  /** All states without one. */
  readonly state: JobStatus | undefined
  readonly branchId: string | undefined
  /** Only jobs that came into their state at that moment or later, in milliseconds. */
  readonly since: number | undefined
}

/** Jobs in the order in which they came into their state: pending ones by when they were accepted. */
export const listJobs = Effect.fn("jobList")(function* ({ branchId, since, state, ...page }: JobsQuery) {
  yield* whenReady(jobsModel)
  const sets = jobsInStates(state === undefined ? JobStatus.literals : [state], branchId)
  const { items, nextCursor } = yield* pageOfAll(sets, page, since)
  const found = yield* Effect.forEach(
    items,
    (jobId) => Effect.map(jobRows.get(jobId), (row) => row === undefined ? [] : [{ jobId, ...row }])
  )
  return { items: found.flat(), nextCursor }
})

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
        // After the last attempt the end of the job removes it, in the same append.
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
  when: (recorded) => writes(jobs.codec.decode(recorded))
}
