import { Effect } from "effect"
import { jobs, slips, streamOf, verifications } from "../../domain/events/aggregates.ts"
import { endCodeOf, type VerificationEvent } from "../../domain/failed-verification.ts"
import type { JobEvent } from "../../domain/job.ts"
import { toBaht } from "../../domain/money.ts"
import type { SlipEvent, SlipVerified } from "../../domain/slip/slip.ts"
import {
  failuresOfSlip,
  laterHolders,
  placeOfVerification,
  streamsOfSlip
} from "../../projections/models/duplicates.ts"
import { jobSets } from "../../projections/models/jobs.ts"
import { acceptanceJson } from "../verification/verification-view.ts"
import { slipDigest } from "../sealing/sealed-data.ts"
import { branchAt } from "./branch-at.ts"
import { jobAt } from "./job-at.ts"
import type { JobAt, SlipAt, SlipInService, SlipVerdict, Verdict, VerificationAt } from "../views/trail.ts"
import { trailReady, type TrailSubject } from "./trail.ts"
import { historyOf } from "./trail-sources.ts"

/** The most items in each list of the state of a slip. Its events have all. */
const MAX_LISTED = 100

type AttemptFailed = Extract<JobEvent, { readonly _tag: "VerificationAttemptFailed" }>

const failedVerdict = (failed: VerificationEvent | AttemptFailed): Verdict => {
  const { at, branchId, gateway, gatewayMillis, why } = failed
  return {
    verdict: "failed",
    at,
    branchId,
    code: endCodeOf(failed),
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
  charged: event.charged,
  ...(event.acceptance === undefined ? {} : { acceptance: acceptanceJson(event.acceptance) })
})

/** The verdict of an event in the stream of a slip that begins with `first`. */
const verdictOf = (event: SlipEvent, first: SlipVerified): Verdict => {
  const { at, branchId, charged, expectedAmount, isAmountMatched, verdict, verificationId: _, ...acceptance } =
    slipVerdict(event)
  const isFirst = event._tag === "SlipVerified"
  return {
    verdict,
    at,
    branchId,
    code: null,
    why: null,
    gateway: isFirst ? first.gateway : null,
    gatewayMillis: isFirst ? first.gatewayMillis : null,
    sendingBank: first.sendingBank,
    amount: toBaht(first.amount),
    transferredAt: first.transferredAt,
    expectedAmount,
    isAmountMatched,
    charged,
    ...acceptance
  }
}

/** The event at a revision, up to a time in milliseconds. */
const eventAt = (stream: string, revision: number, at: number) => historyOf(stream, at, { from: revision, limit: 1 })

/** The verdict of a job that ended without a slip: its last attempt, which has the reason. */
const jobVerdictAt = Effect.fnUntraced(function* (jobId: string, at: number) {
  const events = (yield* historyOf(streamOf.job(jobId), at)).map(jobs.codec.decode)
  const last = events.findLast((event) => event._tag === "VerificationAttemptFailed")
  return last?.nextAttemptAt === null ? failedVerdict(last) : undefined
})

const verdictAt = Effect.fnUntraced(function* (verificationId: string, at: number) {
  const row = yield* placeOfVerification(verificationId)
  if (row === undefined) return yield* jobVerdictAt(verificationId, at)
  const { revision, stream } = row
  const [event] = yield* eventAt(stream, revision, at)
  if (event === undefined) return undefined
  if (!stream.startsWith("slip-")) return failedVerdict(verifications.codec.decode(event))
  const [first] = (yield* eventAt(stream, 0, at)).map(slips.codec.decode)
  return first?._tag === "SlipVerified" ? verdictOf(slips.codec.decode(event), first) : undefined
})

/**
 * The outcomes of verifications up to a time in milliseconds, by id in lower case. Unknown verifications, and those
 * whose job was still open, are absent.
 */
export const verdictsAt = Effect.fnUntraced(function* (verificationIds: ReadonlyArray<string>, at: number) {
  const verdicts = new Map<string, Verdict>()
  for (const id of verificationIds.map((id) => id.toLowerCase())) {
    const verdict = yield* verdictAt(id, at)
    if (verdict !== undefined) verdicts.set(id, verdict)
  }
  return verdicts
})

const verificationAt = Effect.fnUntraced(function* (verificationId: string, at: number) {
  const verdict = (yield* verdictsAt([verificationId], at)).get(verificationId) ?? null
  const job = (yield* jobAt(verificationId, at)) ?? null
  const state: VerificationAt = { kind: "verification", verificationId, verdict, job }
  return verdict === null && job === null ? undefined : state
})

/** The number of events of a stream up to a time in milliseconds. Reads a few single events, however many there are. */
export const lengthAt = Effect.fnUntraced(function* (stream: string, at: number) {
  const isLonger = (length: number) => Effect.map(eventAt(stream, length, at), (events) => events.length > 0)
  let least = 0
  let most = 0
  while (yield* isLonger(most)) {
    least = most + 1
    most = 2 * most + 1
  }
  while (least < most) {
    const middle = Math.floor((least + most) / 2)
    if (yield* isLonger(middle)) least = middle + 1
    else most = middle
  }
  return least
})

/** The slip in the service of a stream; none when it was not verified there yet. */
const slipInService = Effect.fnUntraced(function* (stream: string, at: number) {
  const events = (yield* historyOf(stream, at, { limit: MAX_LISTED })).map(slips.codec.decode)
  const [first] = events
  if (first?._tag !== "SlipVerified") return []
  const times = events.length < MAX_LISTED ? events.length : yield* lengthAt(stream, at)
  const holders = yield* laterHolders(stream).names({ to: times - 1 })
  const slip: SlipInService = {
    serviceId: first.serviceId,
    firstVerifiedAt: first.at,
    firstVerificationId: first.verificationId,
    firstBranchId: first.branchId,
    gateway: first.gateway,
    gatewayMillis: first.gatewayMillis,
    sendingBank: first.sendingBank,
    amount: toBaht(first.amount),
    transferredAt: first.transferredAt,
    times,
    branchIds: [first.branchId, ...holders],
    charged: holders.length + (first.charged ? 1 : 0),
    verifications: events.map(slipVerdict)
  }
  return [slip]
})

const slipAt = Effect.fnUntraced(function* (sendingBank: string, transRef: string, at: number) {
  const digest = yield* slipDigest(sendingBank, transRef)
  const services = yield* Effect.forEach(yield* streamsOfSlip(digest), (stream) => slipInService(stream, at))
  const failures = yield* failuresOfSlip(digest).names({ to: at, limit: MAX_LISTED + 1 })
  const failed = yield* Effect.forEach(failures.slice(0, MAX_LISTED), (stream) => historyOf(stream, at))
  const jobIds = yield* jobSets.ofSlip(digest).names({ limit: MAX_LISTED + 1 })
  const jobs = yield* Effect.forEach(jobIds.slice(0, MAX_LISTED), (jobId) => jobAt(jobId, at))
  const inServices = services.flat()
  const state: SlipAt = {
    kind: "slip",
    services: inServices,
    inVain: failed.flat().map(verifications.codec.decode).map(
      ({ at, branchId, verificationId, why, ...stored }) => ({
        verificationId,
        branchId,
        at,
        code: endCodeOf(stored),
        why
      })
    ),
    jobs: jobs.filter((job) => job !== undefined),
    truncated: failures.length > MAX_LISTED || jobIds.length > MAX_LISTED
      || inServices.some(({ times, verifications }) => times > verifications.length)
  }
  return state.services.length + state.inVain.length + state.jobs.length === 0 ? undefined : state
})

export type StateAt = SlipAt | JobAt | VerificationAt | NonNullable<Effect.Success<ReturnType<typeof branchAt>>>

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
