import { Effect, HashSet } from "effect"
import { fold } from "../../domain/decider.ts"
import { toBaht } from "../../domain/money.ts"
import type { SlipEvent, SlipState } from "../../domain/slip/slip.ts"
import { slips, verifications } from "../../domain/events/aggregates.ts"
import { type JobAt, jobAt } from "./state-at-job.ts"
import type { Verdict } from "./state-at-verification.ts"
import { slipJobs, slipStreams } from "./trail-sources.ts"
import { historyOf } from "./trail-subject.ts"

/** A slip as one service had verified it. Times are ISO 8601, amounts in baht. */
export interface SlipInService {
  readonly serviceId: string
  readonly firstVerifiedAt: string
  readonly firstVerificationId: string
  readonly firstBranchId: string
  /** Through which gateway the bank said so. */
  readonly gateway: string
  readonly gatewayMillis: number
  readonly sendingBank: string
  readonly amount: number
  /** With the offset +07:00. */
  readonly transferredAt: string
  /** How many times it was verified, the first one included. */
  readonly times: number
  /** The branches that have had it, in the order in which they first had. */
  readonly branchIds: ReadonlyArray<string>
  /** Units of quotas that it had cost. */
  readonly charged: number
  /** In the order of the log, the first one first. */
  readonly verifications: ReadonlyArray<SlipVerdict>
}

/** What one verification of a slip had come to, in all cases but failure. */
export type SlipVerdict = Pick<Verdict, "at" | "branchId" | "expectedAmount" | "isAmountMatched" | "charged"> & {
  readonly verificationId: string
  readonly verdict: "first" | "duplicate"
}

/** A verification that found nothing. */
export interface FailedVerification {
  readonly verificationId: string
  readonly branchId: string
  readonly at: string
  readonly code: string
  /** For a person. */
  readonly why: string
}

/** What was known of a slip at a moment, by every service. */
export interface SlipAt {
  readonly kind: "slip"
  readonly services: ReadonlyArray<SlipInService>
  /** Verifications that looked for it in vain. */
  readonly inVain: ReadonlyArray<FailedVerification>
  /** Jobs that it was handed over with, each with its callback. */
  readonly jobs: ReadonlyArray<JobAt>
}

const verdictOf = (event: SlipEvent): SlipVerdict => ({
  verificationId: event.verificationId,
  at: event.at,
  branchId: event.branchId,
  verdict: event._tag === "SlipVerified" ? "first" : "duplicate",
  expectedAmount: event.expectedAmount === null ? null : toBaht(event.expectedAmount),
  isAmountMatched: event.isAmountMatched,
  charged: event.charged
})

const inService = (events: ReadonlyArray<SlipEvent>): ReadonlyArray<SlipInService> => {
  const { first, verifications }: SlipState = fold(slips.decider, events)
  if (first === null) return []
  return [{
    serviceId: first.serviceId,
    firstVerifiedAt: first.at,
    firstVerificationId: first.verificationId,
    firstBranchId: first.branchId,
    gateway: first.gateway,
    gatewayMillis: first.gatewayMillis,
    sendingBank: first.sendingBank,
    amount: toBaht(first.amount),
    transferredAt: first.transferredAt,
    times: HashSet.size(verifications),
    branchIds: [...new Set(events.map(({ branchId }) => branchId))],
    charged: events.filter(({ charged }) => charged).length,
    verifications: events.map(verdictOf)
  }]
}

/** A slip as it was known by a moment, in milliseconds; undefined when nobody had heard of it. */
export const slipAt = Effect.fnUntraced(function* (sendingBank: string, transRef: string, at: number) {
  const streams = yield* slipStreams(sendingBank, transRef)
  const verified = yield* Effect.forEach(
    streams.filter((stream) => stream.startsWith("slip-")),
    (stream) => Effect.map(historyOf(stream, at), (events) => inService(events.map(slips.codec.decode)))
  )
  const failed = yield* Effect.forEach(
    streams.filter((stream) => stream.startsWith("verification-")),
    (stream) => Effect.map(historyOf(stream, at), (events) => events.map(verifications.codec.decode))
  )
  const jobs = yield* Effect.forEach(yield* slipJobs(sendingBank, transRef), (jobId) => jobAt(jobId, at))
  const state: SlipAt = {
    kind: "slip",
    services: verified.flat(),
    inVain: failed.flat().map(({ at, branchId, code, verificationId, why }) => ({
      verificationId,
      branchId,
      at,
      code,
      why
    })),
    jobs: jobs.filter((job) => job !== undefined)
  }
  return state.services.length + state.inVain.length + state.jobs.length === 0 ? undefined : state
})
