import { Effect } from "effect"
import { jobs, slips, streamOf, verifications } from "../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import { type EndCode, endCodeOf, parseEndCode } from "../../domain/failed-verification.ts"
import { toBaht } from "../../domain/money.ts"
import type { Acceptance } from "../../domain/slip/conditions.ts"
import { EventStore } from "../../ports/event-store.ts"
import { failuresOfSlip, placeOfVerification, streamsOfSlip } from "../../projections/models/duplicates.ts"
import { slipDigest } from "../sealing/sealed-data.ts"
import { lengthAt } from "./state-at.ts"
import { trailReady } from "./trail.ts"
import { historyOf } from "./trail-sources.ts"

/** The answer that the caller of a verification received. */
export interface Outcome {
  readonly verificationId: string
  /** When it was recorded, just before the answer. ISO 8601, UTC. */
  readonly at: string
  readonly branchId: string
  readonly verdict: "first" | "duplicate" | "failed"
  /** The code of the answer (docs/spec/http.md, "v2 codes"); null unless it failed. */
  readonly code: EndCode | null
  /** For a person, in English; null unless it failed. */
  readonly why: string | null
  /** In baht; null without an expected amount. */
  readonly expectedAmount: number | null
  readonly isAmountMatched: boolean | null
  /** The verdict on the conditions; null without conditions. */
  readonly acceptance: Acceptance | null
}

const failedOutcome = { verdict: "failed", expectedAmount: null, isAmountMatched: null, acceptance: null } as const

/** The outcome that an event records; undefined for an event of another type. */
export const outcomeOf = (event: RecordedEvent): Outcome | undefined => {
  switch (event.type) {
    case "SlipVerified":
    case "SlipVerifiedAgain": {
      const { acceptance = null, at, branchId, expectedAmount, isAmountMatched, verificationId } = slips.codec.decode(
        event
      )
      const verdict = event.type === "SlipVerified" ? "first" : "duplicate"
      const baht = expectedAmount === null ? null : toBaht(expectedAmount)
      return {
        verificationId,
        at,
        branchId,
        verdict,
        code: null,
        why: null,
        expectedAmount: baht,
        isAmountMatched,
        acceptance
      }
    }
    case "VerificationFailed": {
      const failed = verifications.codec.decode(event)
      const { at, branchId, verificationId, why } = failed
      return { ...failedOutcome, verificationId, at, branchId, code: endCodeOf(failed), why }
    }
    case "JobNotFound": {
      const ended = jobs.codec.decode(event)
      if (ended._tag !== "JobNotFound") return undefined
      const { at, branchId, code, jobId: verificationId } = ended
      return { ...failedOutcome, verificationId, at, branchId, code: parseEndCode(code), why: null }
    }
    default:
      return undefined
  }
}

/** The recorded event of a verification; undefined for an unknown one, and while its job is open. */
export const eventOfVerification = Effect.fnUntraced(function* (id: string) {
  const verificationId = id.toLowerCase()
  const row = yield* placeOfVerification(verificationId)
  const { readStream } = yield* EventStore
  // A job that ended without a slip has no place: its end stands in its own stream.
  if (row === undefined) {
    return (yield* readStream(streamOf.job(verificationId))).find(({ type }) => type === "JobNotFound")
  }
  const [event] = yield* readStream(row.stream, { from: row.revision, limit: 1 })
  return event
})

/** The event with the transfer of the slip that a verification found; undefined when it found none. */
export const transferOfVerification = Effect.fnUntraced(function* (id: string) {
  const row = yield* placeOfVerification(id.toLowerCase())
  if (row === undefined || !row.stream.startsWith("slip-")) return undefined
  const [first] = yield* (yield* EventStore).readStream(row.stream, { limit: 1 })
  return first
})

/** Services of a slip that are read. More are possible, and the trail has them. */
const MAX_SERVICES = 20

/** The newest verifications of a slip in all services, newest first, and the event with the slip's transfer. */
export const latestOutcomesOfSlip = Effect.fn("latestOutcomesOfSlip")(function* (
  sendingBank: string,
  transRef: string,
  limit: number
) {
  yield* trailReady
  const digest = yield* slipDigest(sendingBank, transRef)
  const { readStream } = yield* EventStore
  const streams = yield* streamsOfSlip(digest, MAX_SERVICES)
  const firsts = yield* Effect.forEach(streams, (stream) => readStream(stream, { limit: 1 }))
  const succeeded = yield* Effect.forEach(
    streams,
    Effect.fnUntraced(function* (stream) {
      const length = yield* lengthAt(stream, Infinity)
      return yield* readStream(stream, { from: Math.max(0, length - limit), limit })
    })
  )
  const failures = yield* failuresOfSlip(digest).members({ limit, reverse: true })
  const failed = yield* Effect.forEach(failures, ({ member }) => historyOf(member))
  const outcomes = [...succeeded.flat(), ...failed.flat()].map(outcomeOf).filter((outcome) => outcome !== undefined)
    .sort((one, other) => Date.parse(other.at) - Date.parse(one.at))
  return { outcomes: outcomes.slice(0, limit), transfer: firsts.flat()[0] }
})
