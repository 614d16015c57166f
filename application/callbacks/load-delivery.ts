import { Effect } from "effect"
import type { CallbackState } from "../../domain/callback.ts"
import { callbacks } from "../../domain/events/aggregates.ts"
import { streamOf } from "../../domain/events/streams.ts"
import type { Origin } from "../../ports/tracing.ts"
import { load, type Loaded } from "../events/handle-command.ts"
import { loadJob } from "../jobs/load-job.ts"
import type { Delivery } from "./delivery-process.ts"

/** A job and its callback as they stand in the log. */
export interface LoadedDelivery extends Delivery {
  readonly loaded: Loaded<CallbackState>
  readonly correlationId: string
  /** The event that ended the job. */
  readonly origin: Origin | undefined
}

export const loadDelivery = Effect.fnUntraced(function* (jobId: string) {
  const [job, loaded] = yield* Effect.all([loadJob(jobId), load(callbacks, streamOf.callback(jobId))], {
    concurrency: 2
  })
  const { correlationId, origin } = job
  const delivery: LoadedDelivery = { job: job.state, callback: loaded.state, loaded, correlationId, origin }
  return delivery
})
