import type { Effect } from "effect"
import { continuing, type Origin } from "../../ports/tracing.ts"
import type { DueNow } from "./work-notifier.ts"
import type { Step } from "./process.ts"

/** Performs a step in the trace of the request that it goes back to. */
export const tracedStep = <A, E, R>(
  process: DueNow["process"],
  { attempt, jobId }: Step & { readonly jobId: string },
  origin: Origin | undefined,
  perform: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  continuing(() => ({
    name: `process ${process}`,
    origins: origin === undefined ? [] : [origin],
    attributes: {
      "messaging.system": "sliptrail",
      "messaging.operation.name": "process",
      "messaging.operation.type": "process",
      "messaging.destination.name": process,
      "sliptrail.job.id": jobId,
      "sliptrail.attempt": attempt
    }
  }), perform)
