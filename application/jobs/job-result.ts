import { Effect } from "effect"
import { readJobResult } from "../sealing/sealed-data.ts"
import { callerError } from "../verification/failures.ts"
import { verifyData, viewRecorded } from "../verification/verification-view.ts"
import { streamOf } from "../../domain/events/aggregates.ts"
import { parseEndCode } from "../../domain/failed-verification.ts"
import type { JobEnded } from "../../domain/job.ts"

/**
 * The result of a job, as its callback states it. An earlier version stored some failures with an empty message: the reader
 * gets that of the code.
 */
export const resultOf = Effect.fnUntraced(function* (ended: JobEnded) {
  const stored = yield* readJobResult(ended.result)
  if (stored === undefined) return yield* erasedResult(ended)
  const { error } = stored
  if (error === undefined || error.message !== "") return stored
  return { ...stored, error: callerError(parseEndCode(error.code)) }
})

/** The verification of a job that succeeded, from the log. */
export const verificationOfJob = Effect.fnUntraced(
  function* ({ jobId, serviceId, slipDigest }: Extract<JobEnded, { readonly _tag: "JobSucceeded" }>) {
    const { verification } = yield* viewRecorded(streamOf.slip(serviceId, slipDigest), jobId)
    return verification
  }
)

/** The result of an erased job: the fields without personal data, or the error. */
const erasedResult = Effect.fnUntraced(function* (ended: JobEnded) {
  const { at: timestamp } = ended
  if (ended._tag === "JobNotFound") {
    return { error: callerError(parseEndCode(ended.code), ended.wrongKind), timestamp }
  }
  return { data: verifyData(yield* verificationOfJob(ended)), timestamp }
})
