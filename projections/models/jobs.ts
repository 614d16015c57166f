import type { JobEnded, JobEvent } from "../../domain/job.ts"
import { jobs } from "../../domain/events/aggregates.ts"
import { type JobRow, jobsModel, jobsSets, jobsTables, type JobStatus } from "./jobs-rows.ts"
import type { Write } from "../../ports/read-models.ts"
import type { Projection } from "../engine/projection.ts"

const set = (jobId: string, fields: Partial<JobRow>): Write => ({
  _tag: "SetFields",
  table: jobsTables.jobs,
  key: jobId,
  fields
})

const add = (set: string, member: string, at: string): Write => ({
  _tag: "AddMember",
  set,
  member,
  score: Date.parse(at)
})

const remove = (set: string, member: string): Write => ({ _tag: "RemoveMember", set, member })

const ended = ({ at, attempt, branchId, jobId }: JobEnded, state: JobStatus): ReadonlyArray<Write> => [
  set(jobId, { state, attempts: attempt, nextAttemptAt: null }),
  remove(jobsSets.due, jobId),
  remove(jobsSets.open, jobId),
  remove(jobsSets.inState("pending"), jobId),
  remove(jobsSets.inStateOf("pending", branchId), jobId),
  add(jobsSets.inState(state), jobId, at),
  add(jobsSets.inStateOf(state, branchId), jobId, at)
]

const writes = (event: JobEvent): ReadonlyArray<Write> => {
  const { jobId } = event
  switch (event._tag) {
    case "VerificationEnqueued": {
      const { at, branchId, nextAttemptAt } = event
      return [
        set(jobId, { state: "pending", branchId, createdAt: at, attempts: 0, nextAttemptAt }),
        add(jobsSets.due, jobId, nextAttemptAt),
        add(jobsSets.open, jobId, at),
        add(jobsSets.inState("pending"), jobId, at),
        add(jobsSets.inStateOf("pending", branchId), jobId, at)
      ]
    }
    case "VerificationAttemptFailed": {
      const { at, attempt: attempts, nextAttemptAt, slipDigest } = event
      return [
        set(jobId, { attempts, nextAttemptAt }),
        // After the last one the job's end takes it out, in the same append.
        ...(nextAttemptAt === null ? [] : [add(jobsSets.due, jobId, nextAttemptAt)]),
        ...(slipDigest === null ? [] : [add(jobsSets.ofSlip(slipDigest), jobId, at)])
      ]
    }
    case "JobSucceeded":
      return [...ended(event, "success"), add(jobsSets.ofSlip(event.slipDigest), jobId, event.at)]
    case "JobNotFound":
      return ended(event, "not_found")
  }
}

/** What is handed over, when it is due, what came of it, and whose it is. */
export const jobsProjection: Projection = {
  ...jobsModel,
  streams: ["job-"],
  when: (recorded) => writes(jobs.codec.decode(recorded))
}
