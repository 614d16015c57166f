import { Schema } from "effect"

/**
 * The shape of the read model `jobs`: which attempts are due, and what has not ended. It says where to look; what a
 * job's state is, its stream decides.
 */
export const jobsModel = { name: "jobs", version: 1 } as const

export const JobStatus = Schema.Literals(["pending", "success", "not_found"])
export type JobStatus = typeof JobStatus.Type

export const jobsTables = {
  /** Job id → `JobRow`. */
  jobs: "jobs"
} as const

export const jobsSets = {
  /** Jobs that have not ended, scored by when their next attempt is due, in milliseconds. */
  due: "due",
  /** The same jobs, scored by when they were handed over: from here whatever is stuck is found. */
  open: "open",
  /** Jobs by state, scored by when they came into it. */
  inState: (state: JobStatus): string => `state:${state}`
} as const

/** Times are ISO 8601; `nextAttemptAt` is null at the end. */
export const JobRow = Schema.Struct({
  state: JobStatus,
  branchId: Schema.String,
  createdAt: Schema.String,
  attempts: Schema.Int,
  nextAttemptAt: Schema.NullOr(Schema.String)
})
export type JobRow = typeof JobRow.Type
