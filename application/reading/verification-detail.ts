import { Data, Effect } from "effect"
import { jobs, slips, streamOf, verifications } from "../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import { type EndCode, endCodeOf, parseEndCode } from "../../domain/failed-verification.ts"
import { parseId } from "../../domain/ids.ts"
import { TRUEMONEY } from "../../domain/slip/wallet-payload.ts"
import { EventStore } from "../../ports/event-store.ts"
import { caughtUp } from "../../projections/engine/readiness.ts"
import { duplicatesModel, placeOfVerification } from "../../projections/models/duplicates.ts"
import { failVerificationMissing } from "../events/stream-changed.ts"
import { resultOf } from "../jobs/job-result.ts"
import { notesOf } from "./list-notes.ts"
import { subjectOfJob, subjectOfSlip, subjectOfSlipEverywhere } from "../sealing/sealed-data.ts"
import type { CallerError } from "../views/failure.ts"
import { callerError } from "../verification/failures.ts"
import { verifyData, viewVerification } from "../verification/verification-view.ts"

/** The branch has no verification with this id. Another branch may have one. */
export class VerificationNotFound extends Data.TaggedError("VerificationNotFound")<{}> {}

interface Found {
  readonly recorded: RecordedEvent
  readonly first: RecordedEvent
}

const ofSlip = Effect.fnUntraced(function* ({ first: firstRecorded, recorded }: Found, branchId: string) {
  const [first, event] = [slips.codec.decode(firstRecorded), slips.codec.decode(recorded)]
  if (event.branchId !== branchId) return undefined
  if (first._tag !== "SlipVerified") return yield* Effect.die(`${recorded.stream} does not begin with SlipVerified`)
  return {
    subject: subjectOfSlip(first.serviceId, recorded.stream.slice(recorded.stream.lastIndexOf("-") + 1)),
    at: event.at,
    outcome: event._tag === "SlipVerified" ? "verified" : "duplicate",
    charged: event.charged,
    kind: first.sendingBank === TRUEMONEY ? "truemoney" : "bank",
    data: verifyData(yield* viewVerification({ first, event, count: recorded.revision + 1 }))
  } as const
})

const failed = (subject: string | undefined, at: string, outcome: EndCode, error: CallerError) =>
  ({ subject, at, outcome, charged: false, kind: null, error }) as const

const ofFailure = ({ recorded }: Found, branchId: string) => {
  const failure = verifications.codec.decode(recorded)
  const { at, slipDigest, wrongKind } = failure
  if (failure.branchId !== branchId) return undefined
  const subject = slipDigest === null ? undefined : subjectOfSlipEverywhere(slipDigest)
  const outcome = endCodeOf(failure)
  return failed(subject, at, outcome, callerError(outcome, wrongKind))
}

/** A job that ended without a slip; undefined for other jobs. */
const ofJob = Effect.fnUntraced(function* (history: ReadonlyArray<RecordedEvent>, branchId: string) {
  const last = history.at(-1)
  const ended = last === undefined ? undefined : jobs.codec.decode(last)
  if (ended?._tag !== "JobNotFound" || ended.branchId !== branchId) return undefined
  const result = yield* resultOf(ended)
  return "error" in result
    ? failed(subjectOfJob(ended.jobId), ended.at, parseEndCode(ended.code), result.error)
    : undefined
})

/**
 * A verification of a branch from the log: its event, which a job without a slip lacks; the history of its job; and the
 * subject whose key seals what is written about it. The subject is the slip in the service, the job, the slip that no bank
 * found, or undefined when no slip was read. The reads are the same for an id that
 * is unknown and for one of another branch, so that their times do not differ.
 */
export const findOwn = Effect.fnUntraced(function* (id: string, branchId: string) {
  const verificationId = parseId(id)
  if (verificationId === undefined) return yield* new VerificationNotFound()
  yield* caughtUp([duplicatesModel])
  const place = yield* placeOfVerification(verificationId)
  const { revision, stream } = place ?? { stream: streamOf.verification(verificationId), revision: 0 }
  const { readStream } = yield* EventStore
  const [first] = yield* readStream(stream, { limit: 1 })
  const [recorded] = yield* readStream(stream, { from: revision, limit: 1 })
  const history = yield* readStream(streamOf.job(verificationId))
  const [enqueued] = history

  const found = first === undefined || recorded === undefined ? undefined : { first, recorded }
  if (found === undefined && place !== undefined) return yield* failVerificationMissing(stream, verificationId)
  const answer = found === undefined
    ? yield* ofJob(history, branchId)
    : stream.startsWith("slip-")
    ? yield* ofSlip(found, branchId)
    : ofFailure(found, branchId)
  const origin = enqueued ?? recorded
  if (answer === undefined || origin === undefined) return yield* new VerificationNotFound()
  const { subject, ...content } = answer
  return {
    verificationId,
    subject,
    content,
    recorded,
    history,
    origin: origin.metadata,
    isOfJob: enqueued !== undefined
  }
})

/**
 * A verification of a branch with everything that was answered, and its notes (docs/spec/http.md, "GET
 * /v2/verifications/:verificationId"). It reads the log and asks no bank.
 */
export const verificationDetail = Effect.fn("verificationDetail")(function* (id: string, branchId: string) {
  const { content, isOfJob, origin, verificationId } = yield* findOwn(id, branchId)
  const { at, charged } = content
  const ids = {
    jobId: isOfJob ? verificationId : null,
    requestId: origin.correlationId,
    clientRequestId: origin.clientRequestId ?? null
  }
  const notes = yield* notesOf(verificationId)
  return "data" in content
    ? { verificationId, at, outcome: content.outcome, charged, kind: content.kind, ...ids, data: content.data, notes }
    : { verificationId, at, outcome: content.outcome, charged, kind: content.kind, ...ids, error: content.error, notes }
})
