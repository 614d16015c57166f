import { Effect } from "effect"
import { fold } from "../../domain/decider.ts"
import { isoTime, quotaMonth } from "../../domain/time.ts"
import { streamOf } from "../../domain/events/streams.ts"
import { jobs } from "../../domain/events/aggregates.ts"
import { jobRows, jobsInStates, jobsModel } from "../../projections/models/jobs.ts"
import { quotaModel, quotaSets } from "../../projections/models/quota.ts"
import type { Member } from "../../ports/read-models.ts"
import { whenReady } from "../../projections/engine/readiness.ts"
import { membersOfAll } from "../../projections/engine/page.ts"
import { historyOf } from "./trail-subject.ts"

/** Jobs looked at at a time. */
const PAGE = 500

/**
 * The index of jobs goes by when something was decided, and what had happened by a moment by when it came into the log,
 * a little later: so much, in milliseconds, is looked at around the moment besides.
 */
const SLACK = 60_000

/** Whether a job had been accepted by a moment, had not ended, and held a unit of its branch's quota of that month. */
const heldUnit = Effect.fnUntraced(function* (jobId: string, month: string, at: number) {
  const { ended, enqueued } = fold(jobs.decider, (yield* historyOf(streamOf.job(jobId), at)).map(jobs.codec.decode))
  return enqueued !== null && ended === null && enqueued.charged && enqueued.month === month
})

/** Those of some jobs that held a unit of the month at a moment. */
const holding = Effect.fnUntraced(function* (members: ReadonlyArray<Member>, month: string, at: number) {
  const latest = isoTime(at + SLACK)
  return yield* Effect.filter(
    members,
    Effect.fnUntraced(function* ({ member }) {
      const row = yield* jobRows.get(member)
      return row !== undefined && row.createdAt <= latest && (yield* heldUnit(member, month, at))
    })
  )
})

/**
 * How many units of its quota a branch had used at a moment, in milliseconds, in the month of that moment: what was
 * charged by then, and what jobs held that had not ended. The read models say which verifications and jobs these are,
 * and their times are those of the log; what has been given back since then is no longer among the charges, and is
 * found with the jobs that ended later.
 */
export const quotaUseAt = Effect.fnUntraced(function* (branchId: string, at: number) {
  yield* whenReady(quotaModel)
  yield* whenReady(jobsModel)
  const month = quotaMonth(at)
  const used = new Set(yield* quotaSets.month(branchId, month).names({ to: at }))

  const pending = yield* membersOfAll(jobsInStates(["pending"], branchId), { to: at + SLACK })
  for (const { member } of yield* holding(pending, month, at)) used.add(member)
  let after: { readonly after?: Member } = {}
  while (true) {
    const range = { from: at - SLACK, limit: PAGE, ...after }
    const ended = yield* membersOfAll(jobsInStates(["success", "not_found"], branchId), range)
    for (const { member } of yield* holding(ended, month, at)) used.add(member)
    const last = ended.at(-1)
    if (last === undefined || ended.length < PAGE) return { month, used: used.size }
    after = { after: last }
  }
})
