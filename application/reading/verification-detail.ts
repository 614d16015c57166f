import { Data, Effect } from "effect"
import { jobs, slips, streamOf, verifications } from "../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import { parseId } from "../../domain/ids.ts"
import { TRUEMONEY } from "../../domain/slip/wallet-payload.ts"
import { EventStore } from "../../ports/event-store.ts"
import { caughtUp } from "../../projections/engine/readiness.ts"
import { duplicatesModel, verificationRows } from "../../projections/models/duplicates.ts"
import { resultOf } from "../jobs/job-result.ts"
import { failureMessages, wrongKindMessage } from "../verification/failures.ts"
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
    at: event.at,
    outcome: event._tag === "SlipVerified" ? "verified" : "duplicate",
    charged: event.charged,
    kind: first.sendingBank === TRUEMONEY ? "truemoney" : "bank",
    data: verifyData(yield* viewVerification({ first, event, count: recorded.revision + 1 }))
  } as const
})

const failed = <Code extends string>(at: string, error: { readonly code: Code; readonly message: string }) =>
  ({ at, outcome: error.code, charged: false, kind: null, error }) as const

const ofFailure = ({ recorded }: Found, branchId: string) => {
  const { at, branchId: owner, code, wrongKind } = verifications.codec.decode(recorded)
  if (owner !== branchId) return undefined
  return wrongKind === undefined
    ? failed(at, { code, message: failureMessages[code] })
    : failed(at, { code: "WRONG_SLIP_KIND", message: wrongKindMessage({ found: wrongKind }) })
}

/** A job that ended without a slip; undefined for other jobs. */
const ofJob = Effect.fnUntraced(function* (history: ReadonlyArray<RecordedEvent>, branchId: string) {
  const last = history.at(-1)
  const ended = last === undefined ? undefined : jobs.codec.decode(last)
  if (ended?._tag !== "JobNotFound" || ended.branchId !== branchId) return undefined
  const { error } = yield* resultOf(ended)
  return error === undefined ? undefined : failed(ended.at, error)
})

/**
 * A verification of a branch with everything that was answered (docs/spec/http.md, "GET
 * /v2/verifications/:verificationId"). It reads the log and asks no bank. The reads are the same for an id that is
 * unknown and for one of another branch, so that their times do not differ.
 */
export const verificationDetail = Effect.fn("verificationDetail")(function* (id: string, branchId: string) {
  const verificationId = parseId(id)
  if (verificationId === undefined) return yield* new VerificationNotFound()
  yield* caughtUp([duplicatesModel])
  const { revision, stream } = (yield* verificationRows.get(verificationId))
    ?? { stream: streamOf.verification(verificationId), revision: 0 }
  const { readStream } = yield* EventStore
  const [first] = yield* readStream(stream, { limit: 1 })
  const [recorded] = yield* readStream(stream, { from: revision, limit: 1 })
  const history = yield* readStream(streamOf.job(verificationId))
  const [enqueued] = history

  const found = first === undefined || recorded === undefined ? undefined : { first, recorded }
  const answer = found === undefined
    ? yield* ofJob(history, branchId)
    : stream.startsWith("slip-")
    ? yield* ofSlip(found, branchId)
    : ofFailure(found, branchId)
  const origin = enqueued ?? recorded
  if (answer === undefined || origin === undefined) return yield* new VerificationNotFound()
  const { at, charged, kind, outcome, ...content } = answer
  return {
    verificationId,
    at,
    outcome,
    charged,
    kind,
    jobId: enqueued === undefined ? null : verificationId,
    requestId: origin.metadata.correlationId,
    clientRequestId: origin.metadata.clientRequestId ?? null,
    ...content
  }
})
