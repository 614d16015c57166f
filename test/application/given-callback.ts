import { Effect } from "effect"
import { handleCommand } from "../../application/events/handle-command.ts"
import type { CallbackView } from "../../application/views/job.ts"
import type { AttemptOutcome } from "../../domain/callback.ts"
import { callbacks, streamOf } from "../../domain/events/aggregates.ts"
import { isoTime } from "../../domain/time.ts"
import { byService, type givenIntake } from "./given-intake.ts"

const url = "https://shop.example/told"

/** The view of a callback to `https://shop.example/told` whose job has not ended. */
export const notDueYet: CallbackView = {
  url,
  state: "pending",
  attempts: 0,
  lastStatus: null,
  nextAttemptAt: null,
  deliveredAt: null
}

/** The events of a callback's attempts, as a worker appends them. */
export const callbackOf = ({ ports }: Effect.Success<typeof givenIntake>, jobId: string, branchId = "branch-1") => {
  const stream = streamOf.callback(jobId)
  return {
    send: (attempt: number, at: number) =>
      Effect.provide(
        handleCommand(callbacks, stream, {
          _tag: "SendCallback",
          jobId,
          branchId,
          url,
          bodyDigest: "0".repeat(64),
          attempt,
          at: isoTime(at)
        }, byService(`send-${attempt}`, at)),
        ports
      ),
    record: (attempt: number, at: number, outcome: AttemptOutcome) =>
      Effect.provide(
        handleCommand(
          callbacks,
          stream,
          { _tag: "RecordOutcome", attempt, at: isoTime(at), outcome },
          byService(`record-${attempt}`, at)
        ),
        ports
      )
  }
}
