import { Effect } from "effect"
import { toBaht } from "../../domain/money.ts"
import type { SlipEvent } from "../../domain/slip/slip.ts"
import { slips, verifications } from "../../domain/events/aggregates.ts"
import { type JobAt, jobAt } from "./state-at-job.ts"
import { verificationsByStream } from "./trail-sources.ts"
import { historyOf } from "./trail-subject.ts"

/** What came of a verification. Times are ISO 8601, amounts in baht. */
export interface Verdict {
  readonly verdict: "first" | "duplicate" | "failed"
  readonly at: string
  readonly branchId: string
  /** Null unless it failed; `why` is for a person. */
  readonly code: string | null
  readonly why: string | null
  /** Which gateway told this very verification; null when none was asked, as for a duplicate. */
  readonly gateway: string | null
  readonly gatewayMillis: number | null
  /** Of the slip, as its bank told it; null when it failed. */
  readonly sendingBank: string | null
  readonly amount: number | null
  readonly transferredAt: string | null
  readonly expectedAmount: number | null
  readonly isAmountMatched: boolean | null
  readonly charged: boolean
}

/** A verification at a moment. */
export interface VerificationAt {
  readonly kind: "verification"
  readonly verificationId: string
  /** Null as long as it was under way, as a job. */
  readonly verdict: Verdict | null
  /** The job that it was handed over as; null when it was answered at once. */
  readonly job: JobAt | null
}

const failed = (events: Parameters<typeof verifications.codec.decode>): Verdict => {
  const { at, branchId, code, gateway, gatewayMillis, why } = verifications.codec.decode(...events)
  return {
    verdict: "failed",
    at,
    branchId,
    code,
    why,
    gateway,
    gatewayMillis,
    sendingBank: null,
    amount: null,
    transferredAt: null,
    expectedAmount: null,
    isAmountMatched: null,
    charged: false
  }
}

const verified = (events: ReadonlyArray<SlipEvent>, verificationId: string): Verdict | null => {
  const event = events.find((one) => one.verificationId === verificationId)
  const [first] = events
  if (event === undefined || first?._tag !== "SlipVerified") return null
  const { at, branchId, charged, expectedAmount, isAmountMatched } = event
  return {
    verdict: event === first ? "first" : "duplicate",
    at,
    branchId,
    code: null,
    why: null,
    gateway: event === first ? first.gateway : null,
    gatewayMillis: event === first ? first.gatewayMillis : null,
    sendingBank: first.sendingBank,
    amount: toBaht(first.amount),
    transferredAt: first.transferredAt,
    expectedAmount: expectedAmount === null ? null : toBaht(expectedAmount),
    isAmountMatched,
    charged
  }
}

/**
 * What had come of verifications by a moment, in milliseconds, by their ids in lower case; those that were under way, or
 * never were, are not among them.
 */
export const verdictsAt = Effect.fnUntraced(function* (verificationIds: ReadonlyArray<string>, at: number) {
  const verdicts = new Map<string, Verdict>()
  for (const [stream, ids] of yield* verificationsByStream(verificationIds)) {
    const recorded = yield* historyOf(stream, at)
    const [only] = recorded
    if (only === undefined) continue
    const events = stream.startsWith("slip-") ? recorded.map(slips.codec.decode) : undefined
    for (const id of ids) {
      const verdict = events === undefined ? failed([only]) : verified(events, id)
      if (verdict !== null) verdicts.set(id, verdict)
    }
  }
  return verdicts
})

/** A verification as it was at a moment, in milliseconds; undefined when there was none. */
export const verificationAt = Effect.fnUntraced(function* (verificationId: string, at: number) {
  const verdict = (yield* verdictsAt([verificationId], at)).get(verificationId) ?? null
  const job = (yield* jobAt(verificationId, at)) ?? null
  const state: VerificationAt = { kind: "verification", verificationId, verdict, job }
  return verdict === null && job === null ? undefined : state
})
