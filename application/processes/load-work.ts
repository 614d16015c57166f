import { Effect } from "effect"
import type { CallbackState } from "../../domain/callback.ts"
import { fold } from "../../domain/decider.ts"
import type { JobState } from "../../domain/job.ts"
import { callbacks, jobs, streamOf } from "../aggregates.ts"
import { load, type Loaded } from "../handle-command.ts"
import { EventStore } from "../ports/event-store.ts"
import type { Origin } from "../tracing.ts"
import type { Delivery } from "./callback-delivery.ts"

/** A job as it stands in the log. */
export interface LoadedJob extends Loaded<JobState> {
  /** Of the request that handed it over: what is done about it later stands under the same. */
  readonly correlationId: string
  /** What happened to it last; undefined when nothing has. */
  readonly origin: Origin | undefined
}

export const loadJob = Effect.fnUntraced(function*(jobId: string) {
  const recorded = yield* (yield* EventStore).readStream(streamOf.job(jobId))
  const job: LoadedJob = {
    state: fold(jobs.decider, recorded.map(jobs.codec.decode)),
    revision: recorded.length - 1,
    correlationId: recorded[0]?.metadata.correlationId ?? jobId,
    origin: recorded.at(-1)
  }
  return job
})

/** A job and its callback as they stand in the log. */
export interface LoadedDelivery extends Delivery {
  readonly loaded: Loaded<CallbackState>
  readonly correlationId: string
  /** What ended the job. */
  readonly origin: Origin | undefined
}

export const loadDelivery = Effect.fnUntraced(function*(jobId: string) {
  const [job, loaded] = yield* Effect.all([loadJob(jobId), load(callbacks, streamOf.callback(jobId))], { concurrency: 2 })
  const { correlationId, origin } = job
  const delivery: LoadedDelivery = { job: job.state, callback: loaded.state, loaded, correlationId, origin }
  return delivery
})
