import { Clock, Context, Effect, HashSet, Layer } from "effect"
import { ExpectedError } from "../../domain/expected-error.ts"
import type { BankAccounts } from "../bank-accounts/list-bank-accounts.ts"
import { handleCommand, type Handled, type Loaded, makeCachedLoad, type RequestIds } from "../events/handle-command.ts"
import { type BranchLimits, chargeAt } from "../quota/charge.ts"
import { type BeforeAppend, holdQuotaUnits, type QuotaExceeded } from "../quota/hold-quota-units.ts"
import {
  matchingFields,
  openTransfer,
  remarkFields,
  sealedForJob,
  sealedForSlip,
  sealedForUnfound,
  slipDigests
} from "../sealing/sealed-data.ts"
import { askBank, UpstreamUnavailable } from "./ask-bank.ts"
import { compareForRequest, type JudgingConditions } from "./conditions.ts"
import type { PictureFailure, VerificationFailure } from "./failures.ts"
import { makeKeyedLock } from "./keyed-lock.ts"
import type { LockedSlip, QuotaUnit } from "./locked-slip.ts"
import { verifyByNovelty } from "./new-slip.ts"
import { contextOf, NOT_READ, recordFailure, recordOfFailure, slipFailed } from "./record-failure.ts"
import type { SlipKind, SlipSource } from "./slip-source.ts"
import { recordedVerification, type Verification, viewRecorded, viewVerification } from "./verification-view.ts"
import { holdingPicture, readSlipOf, type Slip } from "./wallet-slip.ts"
import { slips, streamOf } from "../../domain/events/aggregates.ts"
import type { Satang } from "../../domain/money.ts"
import type { AccountQuestion } from "../../domain/slip/matching.ts"
import { costs, type SlipEvent, type SlipState } from "../../domain/slip/slip.ts"
import { isoTime } from "../../domain/time.ts"
import type { BankGateway } from "../../ports/bank-gateway.ts"
import type { Egress } from "../../ports/egress.ts"
import { type EventStore, EventStoreError, type WrongExpectedRevision } from "../../ports/event-store.ts"
import type { Identifiers } from "../../ports/identifiers.ts"
import { NewStreams } from "../../ports/new-streams.ts"
import type { Quota, QuotaError } from "../../ports/quota.ts"
import type { ReadModelsError } from "../../ports/read-models.ts"
import type { SlipReader } from "../../ports/slip-reader.ts"
import { UnchargedLimiter, type UnchargedLimitExceeded } from "../../ports/uncharged-limiter.ts"
import type { Vault } from "../../ports/vault.ts"

/** A slip to verify, for one branch. */
export interface VerificationRequest extends RequestIds {
  readonly verificationId: string
  readonly serviceId: string
  readonly branchId: string
  /** `bank` when absent. */
  readonly kind?: SlipKind
  readonly source: SlipSource
  readonly remark?: string | undefined
  /** The amount that the caller expects. */
  readonly expectedAmount?: Satang | undefined
  /** Which of the branch's bank accounts to compare the receiver with; undefined compares none. */
  readonly accounts?: AccountQuestion | undefined
  /** Undefined: the slip is not judged. */
  readonly judging?: JudgingConditions | undefined
  /** When the service received the slip, in milliseconds since 1970: a job is older than its attempt. Undefined for now. */
  readonly presentedAt?: number
}

/** What one attempt of a job led to. */
export interface Attempted {
  readonly verification: Verification
  /** False when the branch had verified the slip before: the job returns its unit. */
  readonly charged: boolean
  readonly slipDigest: string
}

/** The attempt of a job found no slip. `describeFailure` maps `failure` to a code. */
export class AttemptFailed extends ExpectedError("AttemptFailed")<{
  readonly failure: VerificationFailure | PictureFailure
  /** Null when no slip was read. */
  readonly slipDigest: string | null
  readonly tailDigest?: string | undefined
}> {}

/** Everything that a verification can fail with. */
export type VerificationError =
  | VerificationFailure
  | PictureFailure
  | QuotaExceeded
  | UnchargedLimitExceeded
  | QuotaError
  | ReadModelsError
  | EventStoreError
  | WrongExpectedRevision

/** Without `AttemptFailed` no attempt was made: the log or a read model was unavailable. */
export type AttemptError = AttemptFailed | ReadModelsError | EventStoreError | WrongExpectedRevision

/** Verifies slips for branches. Rules: docs/spec/http.md, "POST /v2/verify/bank". */
export class SlipVerifier extends Context.Service<SlipVerifier, {
  /**
   * Verifies a slip and charges the current month. A success, and a verification that found no slip, are in the log
   * when this returns.
   */
  readonly verify: (request: VerificationRequest & BranchLimits) => Effect.Effect<Verification, VerificationError>
  /**
   * Verifies the slip of a job, under the job's id, and charges the job's `month`. The job holds the unit, so none is
   * reserved here. A success is in the log; a failure is for the job's own stream. An attempt that is repeated after a
   * crash is answered from the log.
   */
  readonly attempt: (
    request: VerificationRequest & { readonly month: string }
  ) => Effect.Effect<Attempted, AttemptError>
}>()("sliptrail/application/SlipVerifier") {
  static readonly layer = Layer.suspend(() => Layer.effect(SlipVerifier, make))
}

type Ports =
  | EventStore
  | Quota
  | UnchargedLimiter
  | BankAccounts
  | BankGateway
  | SlipReader
  | Egress
  | Vault
  | Identifiers

const make = Effect.gen(function* () {
  const ports = yield* Effect.context<Ports>()
  const verifySlip = yield* makeVerifySlip

  const { check, take } = Context.get(ports, UnchargedLimiter)
  const verify = (request: Parameters<Verifier["verify"]>[0]) =>
    Effect.flatMap(Clock.currentTimeMillis, (at) => {
      const beforeRepeat = take("repeat", request.branchId)
      const beforeQuestion = check("failure", request.branchId)
      const unit = { ...chargeAt(at, request.branchId, request), beforeRepeat, beforeQuestion }
      return verifySlip(request, unit, recordOfFailure(request.verificationId), at).pipe(
        Effect.map(({ verification }) => verification),
        Effect.catchTag(
          "SlipFailed",
          ({ failure, read }) =>
            take("failure", request.branchId).pipe(
              Effect.andThen(recordFailure(request, failure, read, at)),
              Effect.andThen(Effect.fail(failure))
            )
        )
      )
    })

  const attempt = Effect.fnUntraced(function* ({ month, ...request }: Parameters<Verifier["attempt"]>[0]) {
    const at = yield* Clock.currentTimeMillis
    // The schedule of a job bounds its questions. A branch without allowance cannot enqueue further jobs.
    const unit = { month, limits: [], beforeRepeat: Effect.void, beforeQuestion: Effect.void }
    return yield* verifySlip(request, unit, sealedForJob(request.verificationId).record, at).pipe(
      Effect.catchTags({
        SlipFailed: ({ failure, read }) => Effect.fail(new AttemptFailed({ failure, ...read })),
        // Without a limit no unit is reserved. The repeat of a job is counted when the job has ended.
        QuotaExceeded: Effect.die,
        UnchargedLimitExceeded: Effect.die,
        QuotaError: Effect.die
      }),
      Effect.catchTag(
        ["ImageUrlFailed", "ImageUnusable", "ReaderUnavailable"],
        (failure) => Effect.fail(new AttemptFailed({ failure, slipDigest: null }))
      )
    )
  })

  // Hot path: to merge contexts takes 7 µs, and most requests have the same one. Guarded by `npm run bench -- http`.
  const merged = new WeakMap<Context.Context<never>, typeof ports>()
  const provide = (context: Context.Context<never>) => {
    const withPorts = merged.get(context) ?? Context.merge(context, ports)
    merged.set(context, withPorts)
    return withPorts
  }
  return SlipVerifier.of({
    verify: (request) => Effect.updateContext(verify(request), provide),
    attempt: (request) => Effect.updateContext(attempt(request), provide)
  })
})

type Verifier = SlipVerifier["Service"]

/** How long a request waits for another request for its slip. */
const LOCK_PATIENCE = "4 seconds"

/** While the store or the bank is unavailable, requests that wait for the same slip fail together. */
const isUnavailable = (error: unknown): error is EventStoreError | UpstreamUnavailable =>
  error instanceof EventStoreError || error instanceof UpstreamUnavailable

/**
 * The steps of every verification. A slip that the branch verified before is free and answered from the log. A slip that
 * another branch of the service verified costs one unit and asks no bank. Every other slip costs one unit when the
 * bank finds it; without a failure left, no bank is asked. Rules: docs/spec/http.md, "Charging", "Duplicates", "Limits".
 */
const makeVerifySlip = Effect.gen(function* () {
  const serviceScope = yield* Effect.scope
  const lock = makeKeyedLock({ patience: LOCK_PATIENCE, isShared: isUnavailable })
  const loadSlip = makeCachedLoad(slips)
  const newStreams = yield* NewStreams

  const verifySlip = Effect.fnUntraced(function* (
    request: VerificationRequest,
    unit: QuotaUnit,
    failureRecord: string,
    at: number
  ) {
    const { branchId, kind = "bank", source } = request
    const slip = yield* readSlipOf(kind, source, branchId).pipe(
      Effect.catchTag(["NoSlip", "WrongSlipKind", "SeveralSlips"], slipFailed(NOT_READ))
    )
    const digests = yield* slipDigests(slip.sendingBank, slip.transRef)
    const stream = streamOf.slip(request.serviceId, digests.slipDigest)
    const verifyFrom = (loaded: Loaded<SlipState>) =>
      // Hot path: as a service instead of an argument, the scope would copy the context. Guarded by `npm run bench -- http`.
      Effect.scopedWith((scope) =>
        verifyLocked(request, unit, slip, { ...digests, at, stream, failureRecord, loaded, scope, serviceScope })
      )
    const verified = yield* verifyByNovelty(
      newStreams,
      { stream, digest: digests.slipDigest, at },
      loadSlip(stream),
      verifyFrom
    ).pipe(
      lock.withKey(stream),
      Effect.catchTag(["SlipUnknown", "SlipPending", "UpstreamUnavailable"], slipFailed(digests))
    )
    return { ...verified, slipDigest: digests.slipDigest } satisfies Attempted
  })
  return (...args: Parameters<typeof verifySlip>) => holdingPicture(args[0], verifySlip(...args))
})

const verifyLocked = Effect.fnUntraced(function* (
  request: VerificationRequest,
  unit: QuotaUnit,
  slip: Slip,
  { at, failureRecord, loaded, scope, serviceScope, slipDigest, stream, tailDigest }: LockedSlip
) {
  const { branchId, verificationId } = request
  const owner = sealedForSlip(stream, { serviceId: request.serviceId, slipDigest, verificationId })
  const owners = { found: owner, notFound: sealedForUnfound(failureRecord, slipDigest) }
  const isFree = !costs(loaded.state, branchId)
  const isUnknown = loaded.state.first === null
  if (isFree) yield* unit.beforeRepeat
  if (isUnknown) yield* unit.beforeQuestion

  const held = yield* holdQuotaUnits({
    reservation: { limits: isFree ? [] : unit.limits, reservationIds: [verificationId] },
    wasCharged: () =>
      // An earlier request with this id may have charged a unit of another month.
      Effect.map(
        recordedVerification(stream, verificationId),
        (found) => found?.event.charged === true && found.event.month === unit.month
      ),
    scope,
    serviceScope
  })
  const found = isUnknown ? yield* askBank(slip, branchId, owners, { now: at, presentedAt: request.presentedAt }) : null
  const transfer = found?.transfer ?? (yield* openFirst(loaded.state))
  const { matching, toCheck } = yield* compareForRequest(request, transfer, isoTime(at))

  const command = {
    _tag: "VerifySlip",
    verificationId,
    serviceId: request.serviceId,
    branchId,
    at: isoTime(at),
    month: unit.month,
    ...(yield* remarkFields(request, owner)),
    expectedAmount: request.expectedAmount ?? null,
    ...(yield* matchingFields(matching, owner)),
    toCheck,
    tookMillis: Math.max(0, (yield* Clock.currentTimeMillis) - at),
    tailDigest,
    evidence: found?.evidence ?? null
  } as const
  const append = (beforeAppend: BeforeAppend | undefined) =>
    handleCommand(slips, stream, command, contextOf(request, at), loaded, beforeAppend).pipe(
      Effect.catchTag("EvidenceMissing", Effect.die),
      Effect.uninterruptible
    )
  const handled = yield* held.charge(verificationId, append, wasChargedBy)

  const [event] = handled.events
  const { first, verifications } = handled.after
  // An earlier append of unknown outcome put the verification into the log.
  if (event === undefined || first === null) return yield* viewRecorded(stream, verificationId)
  // A request that lost the race for the first verification shows what the bank answered to the winner.
  const isOvertaken = isUnknown && handled.before.first !== null
  const known = { slip, transfer: isOvertaken ? undefined : transfer, remark: request.remark, matching }
  return {
    verification: yield* viewVerification({ first, event, count: HashSet.size(verifications) }, known),
    charged: event.charged
  }
})

/** What the bank answered first; undefined when there is no first verification, or its personal data was erased. */
const openFirst = ({ first }: SlipState) => first === null ? Effect.undefined : openTransfer(first.transfer)

/** Undefined when nothing was appended: an earlier append of the same verification may have committed. */
const wasChargedBy = ({ events }: Handled<SlipState, SlipEvent>): boolean | undefined =>
  events.length === 0 ? undefined : events.some((event) => event.charged)
