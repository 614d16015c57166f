import { Effect } from "effect"
import { readJobResult, type StoredJobResult } from "../sealing/sealed-data.ts"
import type { CallerError } from "../views/failure.ts"
import type { VerifiedData } from "../views/slip.ts"
import { callerError } from "../verification/failures.ts"
import { verifyData, viewRecorded } from "../verification/verification-view.ts"
import { streamOf } from "../../domain/events/aggregates.ts"
import { parseEndCode } from "../../domain/failed-verification.ts"
import type { JobEnded } from "../../domain/job.ts"

/** Of the body of a callback, which `verifyData` made, perhaps in an earlier version: fields are only added to it. */
const isVerifyData = (data: unknown): data is VerifiedData =>
  typeof data === "object" && data !== null && "rawSlip" in data

/** The result of a job: the slip or the failure, and when it was there. ISO 8601, UTC. */
export type JobResult =
  & ({ readonly data: VerifiedData } | { readonly error: CallerError })
  & { readonly timestamp: string }

/**
 * The result of a job, as its callback states it. An earlier version stored some failures with an empty message: the reader
 * gets that of the code.
 */
export const resultOf = Effect.fnUntraced(function* (ended: JobEnded) {
  const stored = yield* readJobResult(ended.result)
  return stored === undefined ? yield* erasedResult(ended) : asResult(stored)
})

const asResult = ({ data, error, timestamp }: StoredJobResult): JobResult => {
  if (error === undefined) {
    if (!isVerifyData(data)) throw new Error("the stored result of a job has neither a slip nor an error")
    return { data, timestamp }
  }
  const code = parseEndCode(error.code)
  return { error: error.message === "" ? callerError(code) : { ...error, code }, timestamp }
}

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
    return { error: callerError(parseEndCode(ended.code), ended.wrongKind), timestamp } satisfies JobResult
  }
  return { data: verifyData(yield* verificationOfJob(ended)), timestamp } satisfies JobResult
})
