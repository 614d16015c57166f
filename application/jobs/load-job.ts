import { Effect } from "effect"
import { fold } from "../../domain/decider.ts"
import { jobs } from "../../domain/events/aggregates.ts"
import { streamOf } from "../../domain/events/streams.ts"
import type { JobState } from "../../domain/job.ts"
import { EventStore } from "../../ports/event-store.ts"
import type { Origin } from "../../ports/tracing.ts"
import type { Loaded } from "../events/handle-command.ts"

/** A job as it stands in the log. */
export interface LoadedJob extends Loaded<JobState> {
  /** The id of the request that enqueued the slip; later events of the job carry the same id. */
  readonly correlationId: string
  /** The last event of the job; undefined when there is none. */
  readonly origin: Origin | undefined
}

export const loadJob = Effect.fnUntraced(function* (jobId: string) {
  const recorded = yield* (yield* EventStore).readStream(streamOf.job(jobId))
  const job: LoadedJob = {
    state: fold(jobs.decider, recorded.map(jobs.codec.decode)),
    revision: recorded.length - 1,
    correlationId: recorded[0]?.metadata.correlationId ?? jobId,
    origin: recorded.at(-1)
  }
  return job
})
