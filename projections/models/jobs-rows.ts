import { Schema } from "effect"

/**
 * The shape of the read model `jobs`: which attempts are due, what has not ended, and which jobs a branch or a slip has.
 * It says where to look; what a job's state is, its stream decides.
 */
export const jobsModel = { name: "jobs", version: 2 } as const

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
  inState: (state: JobStatus): string => `state:${state}`,
  /** The same of one branch. */
  inStateOf: (state: JobStatus, branchId: string): string => `state:${state}:${branchId}`,
  /** Jobs in which that slip was read, whatever came of it, scored by the latest attempt. */
  ofSlip: (slipDigest: string): string => `slip:${slipDigest}`
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
