import { Effect, HashSet } from "effect"
import { fold } from "../../domain/decider.ts"
import { slips, verifications } from "../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import { toBaht } from "../../domain/money.ts"
import type { SlipEvent } from "../../domain/slip/slip.ts"
import { type BranchAt, branchAt } from "./branch-at.ts"
import { type JobAt, jobAt } from "./job-at.ts"
import { trailReady, type TrailSubject } from "./trail.ts"
import { historyOf, slipJobs, slipStreams, verificationsByStream } from "./trail-sources.ts"

/** The outcome of a verification. Times are ISO 8601, amounts in baht. */
export interface Verdict {
  readonly verdict: "first" | "duplicate" | "failed"
  readonly at: string
  readonly branchId: string
  /** Null unless it failed; `why` is for a person. */
  readonly code: string | null
  readonly why: string | null
  /** The gateway that answered this verification; null when no gateway was called, as for a duplicate. */
  readonly gateway: string | null
  readonly gatewayMillis: number | null
  /** This and the next two fields are as the bank stated them; null when the verification failed. */
  readonly sendingBank: string | null
  readonly amount: number | null
  readonly transferredAt: string | null
  readonly expectedAmount: number | null
  readonly isAmountMatched: boolean | null
  readonly charged: boolean
}

/** A verification at a time. */
export interface VerificationAt {
  readonly kind: "verification"
  readonly verificationId: string
  /** Null while its job was open. */
  readonly verdict: Verdict | null
  /** The job that it belongs to; null for a synchronous verification. */
  readonly job: JobAt | null
}

/** The outcome of a successful verification of a slip. */
export type SlipVerdict = Pick<Verdict, "at" | "branchId" | "expectedAmount" | "isAmountMatched" | "charged"> & {
  readonly verificationId: string
  readonly verdict: "first" | "duplicate"
}

/** The verifications of a slip in one service. Times are ISO 8601, amounts in baht. */
export interface SlipInService {
  readonly serviceId: string
  readonly firstVerifiedAt: string
  readonly firstVerificationId: string
  readonly firstBranchId: string
  /** The gateway that answered the first verification. */
  readonly gateway: string
  readonly gatewayMillis: number
  readonly sendingBank: string
  readonly amount: number
  /** With the offset +07:00. */
  readonly transferredAt: string
  /** The number of verifications, including the first one. */
  readonly times: number
  /** In the order of their first verification. */
  readonly branchIds: ReadonlyArray<string>
  /** Quota units that were charged for it. */
  readonly charged: number
  /** In the order of the log. */
  readonly verifications: ReadonlyArray<SlipVerdict>
}

/** A verification that found no slip. */
export interface FailedVerification {
  readonly verificationId: string
  readonly branchId: string
  readonly at: string
  readonly code: string
  /** For a person. */
  readonly why: string
}

/** A slip at a time, in all services. */
export interface SlipAt {
  readonly kind: "slip"
  readonly services: ReadonlyArray<SlipInService>
  /** Failed verifications. */
  readonly inVain: ReadonlyArray<FailedVerification>
  /** Jobs with this slip, each with its callback. */
  readonly jobs: ReadonlyArray<JobAt>
}

const failedVerdict = (event: RecordedEvent): Verdict => {
  const { at, branchId, code, gateway, gatewayMillis, why } = verifications.codec.decode(event)
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

const slipVerdict = (event: SlipEvent): SlipVerdict => ({
  verificationId: event.verificationId,
  at: event.at,
  branchId: event.branchId,
  verdict: event._tag === "SlipVerified" ? "first" : "duplicate",
  expectedAmount: event.expectedAmount === null ? null : toBaht(event.expectedAmount),
  isAmountMatched: event.isAmountMatched,
  charged: event.charged
})

const verdictIn = (events: ReadonlyArray<SlipEvent>, id: string): Verdict | undefined => {
  const event = events.find(({ verificationId }) => verificationId === id)
  const [first] = events
  if (event === undefined || first?._tag !== "SlipVerified") return undefined
  const { at, branchId, charged, expectedAmount, isAmountMatched, verdict } = slipVerdict(event)
  return {
    verdict,
    at,
    branchId,
    code: null,
    why: null,
    gateway: event === first ? first.gateway : null,
    gatewayMillis: event === first ? first.gatewayMillis : null,
    sendingBank: first.sendingBank,
    amount: toBaht(first.amount),
    transferredAt: first.transferredAt,
    expectedAmount,
    isAmountMatched,
    charged
  }
}

/**
 * The outcomes of verifications up to a time in milliseconds, by id in lower case. Unknown verifications, and those
 * whose job was still open, are absent.
 */
export const verdictsAt = Effect.fnUntraced(function* (verificationIds: ReadonlyArray<string>, at: number) {
  const verdicts = new Map<string, Verdict>()
  for (const [stream, { from, ids, limit }] of yield* verificationsByStream(verificationIds)) {
    const recorded = yield* historyOf(stream, at, { limit: from + limit })
    const [first] = recorded
    if (first === undefined) continue
    const events = stream.startsWith("slip-") ? recorded.map(slips.codec.decode) : undefined
    for (const id of ids) {
      const verdict = events === undefined ? failedVerdict(first) : verdictIn(events, id)
      if (verdict !== undefined) verdicts.set(id, verdict)
    }
  }
  return verdicts
})

const verificationAt = Effect.fnUntraced(function* (verificationId: string, at: number) {
  const verdict = (yield* verdictsAt([verificationId], at)).get(verificationId) ?? null
  const job = (yield* jobAt(verificationId, at)) ?? null
  const state: VerificationAt = { kind: "verification", verificationId, verdict, job }
  return verdict === null && job === null ? undefined : state
})

const slipsInService = (events: ReadonlyArray<SlipEvent>): ReadonlyArray<SlipInService> => {
  const { first, verifications } = fold(slips.decider, events)
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
    verifications: events.map(slipVerdict)
  }]
}

const slipAt = Effect.fnUntraced(function* (sendingBank: string, transRef: string, at: number) {
  const streams = yield* slipStreams(sendingBank, transRef)
  const histories = (prefix: string) =>
    Effect.forEach(streams.filter((stream) => stream.startsWith(prefix)), (stream) => historyOf(stream, at))
  const verified = yield* histories("slip-")
  const failed = yield* histories("verification-")
  const jobs = yield* Effect.forEach(yield* slipJobs(sendingBank, transRef), (jobId) => jobAt(jobId, at))
  const state: SlipAt = {
    kind: "slip",
    services: verified.flatMap((events) => slipsInService(events.map(slips.codec.decode))),
    inVain: failed.flat().map(verifications.codec.decode).map(
      ({ at, branchId, code, verificationId, why }) => ({ verificationId, branchId, at, code, why })
    ),
    jobs: jobs.filter((job) => job !== undefined)
  }
  return state.services.length + state.inVain.length + state.jobs.length === 0 ? undefined : state
})

export type StateAt = SlipAt | JobAt | VerificationAt | BranchAt

const stateOf = (subject: TrailSubject, at: number) => {
  switch (subject._tag) {
    case "Job":
      return jobAt(subject.id.toLowerCase(), at)
    case "Verification":
      return verificationAt(subject.id.toLowerCase(), at)
    case "Slip":
      return slipAt(subject.sendingBank, subject.transRef, at)
    case "Branch":
      return branchAt(subject.id.toLowerCase(), at)
  }
}

/**
 * The state of a subject at a time in milliseconds, folded from its events by the deciders; undefined when it did not
 * exist. Contains no personal data.
 */
export const stateAt = Effect.fn("stateAt")(function* (subject: TrailSubject, at: number) {
  yield* trailReady
  const state: StateAt | undefined = yield* stateOf(subject, at)
  return state
})
