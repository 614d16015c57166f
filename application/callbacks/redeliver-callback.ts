import { Clock, Data, Effect } from "effect"
import { isoTime } from "../../domain/time.ts"
import { streamOf } from "../../domain/events/streams.ts"
import { callbacks } from "../../domain/events/aggregates.ts"
import { handleCommand } from "../events/handle-command.ts"
import { WorkNotifier } from "../processes/work-notifier.ts"
import { anyJob, JobNotFound, type OwnJob, ownJob, viewCallback } from "../jobs/job-view.ts"
import { contextOf, type Operation } from "../provisioning/operator-command.ts"

/** There is nothing to deliver: `pending` has no result yet, `no-url` nobody who wants it. */
export class NothingToRedeliver extends Data.TaggedError("NothingToRedeliver")<{
  readonly reason: "pending" | "no-url"
}> {}

/**
 * Has the callback of a job sent again, whatever came of it before, and gives where it stands then. One that waits
 * for its next attempt goes out now; one that was never sent is due anyway. Another branch's job is `JobNotFound`.
 */
export const redeliverCallback = Effect.fn("redeliverCallback")(function* (
  id: string,
  branchId: string,
  operation: Operation
) {
  return yield* askAgain(yield* ownJob(id, branchId), operation)
})

/** The same for an operator: of any branch, and however long ago the job ended. `jobId` in lower case. */
export const redeliverAnyCallback = Effect.fn("redeliverAnyCallback")(function* (jobId: string, operation: Operation) {
  const found = yield* anyJob(jobId)
  if (found === undefined) return yield* new JobNotFound()
  return yield* askAgain(found, operation)
})

const askAgain = Effect.fnUntraced(function* (own: OwnJob, operation: Operation) {
  const { enqueued: { callbackUrl, jobId }, state: { ended } } = own
  if (callbackUrl === null) return yield* new NothingToRedeliver({ reason: "no-url" })
  if (ended === null) return yield* new NothingToRedeliver({ reason: "pending" })

  const at = isoTime(yield* Clock.currentTimeMillis)
  const command = { _tag: "RequestRedelivery", at } as const
  yield* handleCommand(callbacks, streamOf.callback(jobId), command, yield* contextOf(operation)).pipe(
    Effect.catchTags({ CallbackUnknown: () => Effect.void, AttemptSkipped: Effect.die })
  )
  yield* (yield* WorkNotifier)([{ process: "callback-delivery", jobId }])
  return { jobId, callback: yield* viewCallback(own) }
})
