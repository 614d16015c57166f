import { Effect, Schema } from "effect"
import { JobRow, jobsModel, jobsSets, jobsTables, JobStatus } from "../../projections/models/jobs-rows.ts"
import { modelName } from "../../projections/engine/model-name.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { Readiness } from "../../projections/engine/readiness.ts"
import { mergedMembers } from "../../projections/engine/merged-members.ts"
import { behind, pageOf } from "../../projections/engine/page.ts"

/** Which jobs to list; ids in lower case, `cursor` one that an earlier page gave. */
export interface JobsAsked {
  /** All states without one. */
  readonly state: JobStatus | undefined
  readonly branchId: string | undefined
  /** Only what came into its state at that moment or later, in milliseconds. */
  readonly since: number | undefined
  readonly cursor: string | undefined
  readonly limit: number
}

/** A job as operators see it in a list. */
export interface JobItem extends JobRow {
  readonly jobId: string
}

/** Jobs of all branches, in the order in which they came into their state: pending ones by when they were accepted. */
export const jobList = Effect.fn("jobList")(function* (asked: JobsAsked) {
  const { branchId, cursor, limit, since, state } = asked
  yield* (yield* Readiness).of(model)
  const sets = jobSets(state === undefined ? JobStatus.literals : [state], branchId)
  const from = since === undefined ? {} : { from: since }
  const members = yield* mergedMembers(model, sets, { ...from, ...behind(cursor), limit: limit + 1 })
  const { items, nextCursor } = pageOf(members, limit)
  const rows = yield* Effect.forEach(items, ({ member }) => rowOf(member))
  return { items: rows.filter((row) => row !== undefined), nextCursor }
})

/** The sets in which jobs of these states are, of one branch or of all. */
export const jobSets = (states: ReadonlyArray<JobStatus>, branchId: string | undefined): ReadonlyArray<string> =>
  states.map((state) => branchId === undefined ? jobsSets.inState(state) : jobsSets.inStateOf(state, branchId))

const model = modelName(jobsModel)
const decodeRow = Schema.decodeUnknownSync(JobRow)

const rowOf = Effect.fnUntraced(function* (jobId: string) {
  const row = yield* (yield* ReadModels).get(model, jobsTables.jobs, jobId)
  return row === undefined ? undefined : { jobId, ...decodeRow(row) } satisfies JobItem
})
