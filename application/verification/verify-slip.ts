import { Clock, Context, Data, Effect, Layer } from "effect"
import { isoTime, quotaMonth } from "../../domain/time.ts"
import type { Satang } from "../../domain/money.ts"
import type { AccountQuestion } from "../../domain/slip/matching.ts"
import type { SlipState } from "../../domain/slip/slip.ts"
import { streamOf } from "../../domain/events/streams.ts"
import type { CommandContext } from "../events/handle-command.ts"
import { makeStateCache } from "../events/state-cache.ts"
import { makeKeyedLock } from "./keyed-lock.ts"
import type { BankGateway } from "../../ports/bank-gateway.ts"
import type { Egress } from "../../ports/egress.ts"
import { type EventStore, EventStoreError, type WrongExpectedRevision } from "../../ports/event-store.ts"
import type { Identifiers } from "../../ports/identifiers.ts"
import type { Quota, QuotaError } from "../../ports/quota.ts"
import type { ReadModelsError } from "../../ports/read-models.ts"
import type { SlipReader } from "../../ports/slip-reader.ts"
import type { Vault } from "../../ports/vault.ts"
import type { BankAccounts } from "../bank-accounts/list-bank-accounts.ts"
import type { Caller } from "../provisioning/callers.ts"
import { UpstreamUnavailable } from "./ask-bank.ts"
import type { PictureFailure, VerificationFailure } from "./describe-failure.ts"
import { decideVerification, type VerificationInput } from "./decide-verification.ts"
import type { QuotaExceeded } from "../quota/quota-unit.ts"
import { recordFailure } from "./record-failure.ts"
import { readSlip, type SlipSource } from "./slip-source.ts"
import { slipDigest } from "../sealing/slip-sealing.ts"
import type { Verification } from "./verification-view.ts"

export interface VerificationRequest {
  readonly verificationId: string
  readonly caller: Caller
  readonly source: SlipSource
  readonly remark?: string | undefined
  /** The amount that the caller expects. */
  readonly expectedAmount?: Satang | undefined
  /** Which of the branch's accounts the receiver is to be compared with; without it, none. */
  readonly accounts?: AccountQuestion | undefined
  readonly correlationId: string
}

/** One attempt of a job, under the job's id: made again after a crash, it leaves nothing twice. */
export interface AttemptRequest {
  readonly jobId: string
  readonly serviceId: string
  readonly branchId: string
  /** What was handed over; of a picture, where it lies: its bytes are never kept. */
  readonly source: Exclude<SlipSource, { readonly _tag: "Image" }>
  readonly remark: string | undefined
  readonly expectedAmount: Satang | undefined
  readonly accounts: AccountQuestion | undefined
  /** The quota month of the job: that is charged, whenever the attempt is made. */
  readonly month: string
  readonly correlationId: string
}

export interface Attempted {
  readonly verification: Verification
  /** False: this branch had the slip before, and the unit that the job holds goes back. */
  readonly charged: boolean
  readonly slipDigest: string
}

/** The attempt was made and led to no slip. `describeFailure` says what that means. */
export class AttemptFailed extends Data.TaggedError("AttemptFailed")<{
  readonly failure: VerificationFailure | PictureFailure
  /** Null when no slip was read. */
  readonly slipDigest: string | null
}> {}

/** Everything that can stand between a request and its verdict. */
export type VerificationError =
  | VerificationFailure
  | PictureFailure
  | QuotaExceeded
  | QuotaError
  | ReadModelsError
  | EventStoreError
  | WrongExpectedRevision

/** Without `AttemptFailed` the log or a read model was away: that is no attempt. */
export type AttemptError = AttemptFailed | ReadModelsError | EventStoreError | WrongExpectedRevision

/** Verifies slips for branches. */
export class SlipVerifier extends Context.Service<SlipVerifier, {
  /** An answered verification, or one that found nothing, is in the log. */
  readonly verify: (request: VerificationRequest) => Effect.Effect<Verification, VerificationError>
  /**
   * Verifies the slip of a job. The job holds a unit already, so none is taken. A success is in the log; a failure is
   * left to the job's own stream. What an earlier attempt appended before it was cut off is answered from the log.
   */
  readonly attempt: (request: AttemptRequest) => Effect.Effect<Attempted, AttemptError>
}>()("sliptrail/application/SlipVerifier") {
  static readonly layer = Layer.suspend(() => Layer.effect(SlipVerifier, make))
}

/** How long a request waits for another one that verifies the same slip. */
const PATIENCE = "4 seconds"

type Away = EventStoreError | UpstreamUnavailable

/** The store or the bank is away: whoever waits behind would only learn the same, later. */
const isAway = (error: unknown): error is Away =>
  error instanceof EventStoreError || error instanceof UpstreamUnavailable

type Uses = EventStore | Quota | BankAccounts | BankGateway | SlipReader | Egress | Vault | Identifiers

const make = Effect.gen(function* () {
  const services = yield* Effect.context<Uses>()
  const scope = yield* Effect.scope
  const lock = makeKeyedLock({ patience: PATIENCE, isShared: isAway })
  const hot = makeStateCache<SlipState>()

  const contextOf = (
    { branchId, verificationId }: VerificationInput,
    correlationId: string,
    at: number
  ): CommandContext => ({ commandId: verificationId, correlationId, actor: { kind: "branch", id: branchId }, at })

  /** `failed` is told what led to no slip, and the slip's digest where one was read. */
  const judge = Effect.fnUntraced(function* <E, R>(
    inquiry: VerificationInput,
    source: SlipSource,
    context: CommandContext,
    failed: (digest: string | null) => (failure: VerificationFailure) => Effect.Effect<never, E, R>
  ) {
    const slip = yield* Effect.catchTag(readSlip(source), "NoSlip", failed(null))
    const digest = yield* slipDigest(slip.sendingBank, slip.transRef)
    const verdict = yield* decideVerification({ scope, hot, inquiry, slip, slipDigest: digest, context }).pipe(
      lock.withKey(streamOf.slip(inquiry.serviceId, digest)),
      Effect.catchTag(["SlipUnknown", "SlipPending", "UpstreamUnavailable"], failed(digest))
    )
    return { ...verdict, slipDigest: digest }
  })

  const verify = Effect.fnUntraced(function* (request: VerificationRequest) {
    const { accounts, caller, correlationId, expectedAmount, remark, source, verificationId } = request
    const { branch, branchId, serviceId } = caller
    const at = yield* Clock.currentTimeMillis
    const subject = { verificationId, serviceId, branchId }
    const inquiry = { ...subject, month: quotaMonth(at), limit: branch.quota, remark, expectedAmount, accounts }
    const context = contextOf(inquiry, correlationId, at)
    const { verification } = yield* judge(inquiry, source, context, (slipDigest) => (failure) =>
      Effect.andThen(
        recordFailure({ ...subject, at: isoTime(at), slipDigest }, failure, context),
        Effect.fail(failure)
      ))
    return verification
  })

  const attempt = Effect.fnUntraced(function* ({ correlationId, jobId, source, ...asked }: AttemptRequest) {
    const inquiry = { ...asked, verificationId: jobId, limit: null }
    const context = contextOf(inquiry, correlationId, yield* Clock.currentTimeMillis)
    const failed = (slipDigest: string | null) => (failure: VerificationFailure | PictureFailure) =>
      Effect.fail(new AttemptFailed({ failure, slipDigest }))
    const attempted: Attempted = yield* judge(inquiry, source, context, failed).pipe(
      Effect.catchTag(["ImageUrlFailed", "ImageUnusable", "ReaderUnavailable"], failed(null)),
      // It takes no unit.
      Effect.catchTag(["QuotaExceeded", "QuotaError"], Effect.die)
    )
    return attempted
  })

  // Requests mostly come in the same context: what it makes of the services is kept.
  const contexts = new WeakMap<Context.Context<never>, typeof services>()
  const within = (context: Context.Context<never>) => {
    const known = contexts.get(context)
    if (known !== undefined) return known
    const merged = Context.merge(context, services)
    contexts.set(context, merged)
    return merged
  }
  return SlipVerifier.of({
    verify: (request) => Effect.updateContext(verify(request), within),
    attempt: (request) => Effect.updateContext(attempt(request), within)
  })
})
