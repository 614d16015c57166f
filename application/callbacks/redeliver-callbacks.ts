import { Clock, Data, Effect, Result } from "effect"
import { recordAct } from "../operators/record-act.ts"
import { viewCallback } from "../jobs/job-view.ts"
import { type AcceptedJob, anyJob, JobNotFound, visibleJob } from "../jobs/load-job.ts"
import { type DueWork, WorkNotifier } from "../processes/work-notifier.ts"
import { handleOperatorCommand } from "../provisioning/operator-command.ts"
import type { RequestIds } from "../events/handle-command.ts"
import { openJobResult } from "../sealing/sealed-data.ts"
import { callbackHost } from "../../domain/callback.ts"
import { callbacks, streamOf } from "../../domain/events/aggregates.ts"
import { isoTime } from "../../domain/time.ts"
import type { Member } from "../../ports/read-models.ts"
import { parseLaneMember } from "../../projections/engine/lane-member.ts"
import { forEachPage } from "../../projections/engine/page.ts"
import type { OrderedSet } from "../../projections/engine/read-model.ts"
import { caughtUp } from "../../projections/engine/readiness.ts"
import { callbackLane, callbackSets, callbacksModel } from "../../projections/models/callbacks.ts"

/** There is nothing to send again: the job is `pending`, it has no callback URL, or its personal data was `erased`. */
export class NothingToRedeliver extends Data.TaggedError("NothingToRedeliver")<{
  readonly reason: "pending" | "no-url" | "erased"
}> {}

/**
 * Sends the callback of a branch's job again, whatever its outcome was, and returns its new state. A callback that waits
 * for its next attempt is sent now. Another branch's job is `JobNotFound`. Rule: docs/spec/http.md, "Redelivery".
 */
export const redeliverCallback = Effect.fn("redeliverCallback")(function* (
  id: string,
  branchId: string,
  ids: RequestIds
) {
  const { callback, jobId } = yield* redeliverJob(yield* visibleJob(id, branchId), ids)
  return { jobId, callback }
})

/** As `redeliverCallback`, for an operator: a job of any branch and any age. `jobId` in lower case. */
export const redeliverAnyCallback = Effect.fn("redeliverAnyCallback")(function* (jobId: string, ids: RequestIds) {
  const job = yield* anyJob(jobId)
  if (job === undefined) return yield* new JobNotFound({})
  return yield* redeliverJob(job, ids)
})

const redeliverJob = Effect.fnUntraced(function* (job: AcceptedJob, ids: RequestIds) {
  const { enqueued: { branchId, callbackUrl, jobId }, state: { ended } } = job
  if (callbackUrl === null) return yield* new NothingToRedeliver({ reason: "no-url" })
  if (ended === null) return yield* new NothingToRedeliver({ reason: "pending" })
  if (yield* isErased(job)) return yield* new NothingToRedeliver({ reason: "erased" })
  const isChanged = yield* requestRedelivery(callbacks, jobId, ids).pipe(
    Effect.map(({ events }) => events.length > 0),
    // A callback that was never sent is already due.
    Effect.catchTag("CallbackUnknown", () => Effect.succeed(false))
  )
  const notify = yield* WorkNotifier
  yield* notify([{ process: "callback-delivery", lane: callbackLane(branchId, callbackHost(callbackUrl)), jobId }])
  return { jobId, callback: yield* viewCallback(job), isChanged }
})

const isErased = Effect.fnUntraced(function* ({ state: { ended } }: AcceptedJob) {
  return ended !== null && (yield* openJobResult(ended.result)) === undefined
})

/**
 * Which callbacks to send again. `OfJob` is the callback of one job; `jobId` is in lower case. The others are all rejected
 * or abandoned callbacks: of a host, as `callbackHost` returns it, or of a period in milliseconds, both ends included.
 */
export type Redelivery =
  | { readonly _tag: "OfJob"; readonly jobId: string }
  | { readonly _tag: "AtHost"; readonly host: string }
  | { readonly _tag: "Between"; readonly from: number; readonly to: number }

/**
 * Sends callbacks again and returns how many. A request that changes nothing is recorded too. `OfJob` fails with
 * `JobNotFound` or `NothingToRedeliver`. The others cover callbacks that had ended when the request arrived, and skip those
 * that were delivered or whose job was erased. After a failure, repeat the call: it sends the remaining callbacks.
 */
export const redeliver = Effect.fn("redeliver")(function* (selection: Redelivery, ids: RequestIds) {
  const nothing = { _tag: "RedeliveryChangedNothing", jobId: null, host: null, from: null, to: null } as const
  if (selection._tag === "OfJob") {
    const { jobId } = selection
    const { isChanged } = yield* redeliverAnyCallback(jobId, ids)
    if (!isChanged) yield* recordAct({ ...nothing, jobId }, ids)
    return 1
  }
  const now = yield* Clock.currentTimeMillis
  yield* caughtUp([callbacksModel])
  // A callback that ends after `now` may be one that this call sent again.
  const range = selection._tag === "AtHost" ? { to: now } : { from: selection.from, to: Math.min(selection.to, now) }
  let count = 0
  for (const end of ["abandoned", "rejected"] as const) {
    const set = selection._tag === "AtHost" ? callbackSets.endedAt(end, selection.host) : callbackSets.ended(end)
    count += yield* redeliverAll(set, range, ids)
  }
  if (count === 0) {
    const asked = selection._tag === "AtHost"
      ? { host: selection.host }
      : { from: isoTime(selection.from), to: isoTime(selection.to) }
    yield* recordAct({ ...nothing, ...asked }, ids)
  }
  return count
})

const CONCURRENT_APPENDS = 16

const redeliverAll = Effect.fnUntraced(function* (
  set: OrderedSet,
  range: { readonly from?: number; readonly to: number },
  ids: RequestIds
) {
  const notify = yield* WorkNotifier
  const request = Effect.fnUntraced(function* ({ member }: Member) {
    const work: DueWork = { process: "callback-delivery", ...parseLaneMember(member) }
    const job = yield* anyJob(work.jobId)
    if (job === undefined || (yield* isErased(job))) return []
    const { events } = yield* requestRedelivery(undelivered, work.jobId, ids).pipe(
      Effect.catchTag("CallbackUnknown", Effect.die)
    )
    return events.length === 0 ? [] : [work]
  })
  let count = 0
  yield* forEachPage(
    set,
    range,
    Effect.fnUntraced(function* (page) {
      const requested = (yield* Effect.forEach(page, request, { concurrency: CONCURRENT_APPENDS })).flat()
      yield* notify(requested)
      count += requested.length
    })
  )
  return count
})

const requestRedelivery = (aggregate: typeof callbacks, jobId: string, ids: RequestIds) =>
  handleOperatorCommand(aggregate, streamOf.callback(jobId), (at) => ({ _tag: "RequestRedelivery", at }) as const, ids)
    .pipe(
      Effect.catchTag("AttemptSkipped", Effect.die)
    )

/** The read model may be stale, so the stream decides whether the callback is still rejected or abandoned. */
const undelivered: typeof callbacks = {
  ...callbacks,
  decider: {
    ...callbacks.decider,
    decide: (command, state) =>
      state.end === "rejected" || state.end === "abandoned"
        ? callbacks.decider.decide(command, state)
        : Result.succeed([])
  }
}
