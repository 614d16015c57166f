import { Effect, Schema } from "effect"
import { isoTime, quotaMonth } from "../../domain/time.ts"
import { jobs, streamOf } from "../aggregates.ts"
import { JobRow, jobsModel, jobsTables } from "../models/jobs.ts"
import { modelName } from "../models/model-name.ts"
import { quotaModel, quotaSets } from "../models/quota.ts"
import { EventStore } from "../ports/event-store.ts"
import { type Member, ReadModels } from "../ports/read-models.ts"
import { Readiness } from "../readiness.ts"
import { jobSets } from "./jobs.ts"
import { mergedMembers } from "./merged-members.ts"

const modelOfQuota = modelName(quotaModel)
const modelOfJobs = modelName(jobsModel)
const decodeRow = Schema.decodeUnknownSync(JobRow)

/** Jobs looked at at a time. */
const PAGE = 500

/** Whether a job held a unit of its branch's quota of a month from its acceptance on. */
const heldUnit = Effect.fnUntraced(function*(jobId: string, month: string) {
  const [accepted] = yield* (yield* EventStore).readStream(streamOf.job(jobId), { limit: 1 })
  const event = accepted === undefined ? undefined : jobs.codec.decode(accepted)
  return event?._tag === "VerificationEnqueued" && event.charged && event.month === month
})

/** Those of some jobs, none of which had ended by then, that had been accepted and held a unit of the month. */
const holding = Effect.fnUntraced(function*(members: ReadonlyArray<Member>, month: string, at: number) {
  const models = yield* ReadModels
  const by = isoTime(at)
  return yield* Effect.filter(members, Effect.fnUntraced(function*({ member }) {
    const row = yield* models.get(modelOfJobs, jobsTables.jobs, member)
    return row !== undefined && decodeRow(row).createdAt <= by && (yield* heldUnit(member, month))
  }))
})

/**
 * How many units of its quota a branch had used at a moment, in milliseconds, in the month of that moment: what was
 * charged by then, and what jobs held that had not ended. The read models say which verifications and jobs these are,
 * and their times are those of the log; what has been given back since then is no longer among the charges, and is
 * found with the jobs that ended later.
 */
export const quotaUseAt = Effect.fnUntraced(function*(branchId: string, at: number) {
  const models = yield* ReadModels
  const readiness = yield* Readiness
  yield* readiness.of(modelOfQuota)
  yield* readiness.of(modelOfJobs)
  const month = quotaMonth(at)
  const charged = yield* models.members(modelOfQuota, quotaSets.month(branchId, month), { to: at })
  const used = new Set(charged.map(({ member }) => member))

  const pending = yield* mergedMembers(modelOfJobs, jobSets(["pending"], branchId), { to: at })
  for (const { member } of yield* holding(pending, month, at)) used.add(member)
  let after: { readonly after?: Member } = {}
  while (true) {
    const range = { from: at + 1, limit: PAGE, ...after }
    const ended = yield* mergedMembers(modelOfJobs, jobSets(["success", "not_found"], branchId), range)
    for (const { member } of yield* holding(ended, month, at)) used.add(member)
    const last = ended.at(-1)
    if (last === undefined || ended.length < PAGE) return { month, used: used.size }
    after = { after: last }
  }
})
