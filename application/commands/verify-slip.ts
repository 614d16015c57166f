import { Clock, Context, Effect, Exit, HashSet, Layer, type Scope } from "effect"
import { isoTime, quotaMonth } from "../../domain/time.ts"
import type { Satang } from "../../domain/money.ts"
import type { SlipPayload } from "../../domain/slip/payload.ts"
import { costs, type SlipEvent, type SlipState } from "../../domain/slip/slip.ts"
import type { Transfer } from "../../domain/slip/transfer.ts"
import { slips, streamOf } from "../aggregates.ts"
import { type CommandContext, type Handled, handleCommand, load, type Loaded } from "../handle-command.ts"
import { type HotStreams, makeHotStreams } from "../hot-streams.ts"
import { makeKeyedLock } from "../keyed-lock.ts"
import type { BankGateway } from "../ports/bank-gateway.ts"
import type { Egress } from "../ports/egress.ts"
import { EventStore, EventStoreError, type WrongExpectedRevision } from "../ports/event-store.ts"
import type { Identifiers } from "../ports/identifiers.ts"
import type { Quota, QuotaError } from "../ports/quota.ts"
import type { SlipReader } from "../ports/slip-reader.ts"
import type { Vault } from "../ports/vault.ts"
import type { Caller } from "../queries/callers.ts"
import { askBank, type Found, UpstreamUnavailable } from "./ask-bank.ts"
import { type Charge, type QuotaExceeded, withQuotaUnit } from "./quota-unit.ts"
import { recordFailure, type VerificationFailure } from "./record-failure.ts"
import { type ImageUnusable, type ImageUrlFailed, type ReaderUnavailable, readSlip, type SlipSource } from "./slip-source.ts"
import { openTransfer, sealRemark, slipDigest } from "./slip-vault.ts"

export interface VerificationRequest {
  readonly verificationId: string
  readonly caller: Caller
  readonly source: SlipSource
  readonly remark?: string | undefined
  /** The amount that the caller expects. */
  readonly expectedAmount?: Satang | undefined
  readonly correlationId: string
}

/** The verdict on a slip that its bank knows (specification, VerifyBankData; money in satang). */
export interface Verification {
  readonly verificationId: string
  readonly slip: SlipPayload
  readonly transfer: Transfer
  /** Null for the first verification of the slip in its service. */
  readonly duplicate: {
    /** ISO 8601, UTC. */
    readonly firstVerifiedAt: string
    /** Whether the first verification was this branch's. */
    readonly sameBranch: boolean
    /** How many times the slip was verified, this one included. */
    readonly count: number
  } | null
  readonly remark: string | undefined
  readonly expectedAmount: Satang | undefined
  readonly isAmountMatched: boolean | undefined
}

/** How long a request waits for another one that verifies the same slip. */
const PATIENCE = "4 seconds"

type Away = EventStoreError | UpstreamUnavailable

/** The store or the bank is away: whoever waits behind would only learn the same, later. */
const isAway = (error: unknown): error is Away =>
  error instanceof EventStoreError || error instanceof UpstreamUnavailable

interface Step {
  /** Of the service, not of the request. */
  readonly scope: Scope.Scope
  readonly request: VerificationRequest
  readonly slip: SlipPayload
  readonly stream: string
  readonly context: CommandContext
  readonly hot: HotStreams<SlipState>
  /** The quota month of the verification. */
  readonly month: string
}

const charge = (exit: Exit.Exit<Handled<SlipState, SlipEvent>, { readonly _tag: string }>, appending: boolean): Charge => {
  if (Exit.isSuccess(exit) && exit.value.events.length > 0) {
    return exit.value.events.some((event) => event.charged) ? "charged" : "free"
  }
  return appending ? "unknown" : "free"
}

/** The event of a verification as it stands in the log, if it does. */
const recordedEvent = Effect.fnUntraced(function*(stream: string, verificationId: string) {
  const recorded = yield* (yield* EventStore).readStream(stream)
  return recorded.map(slips.codec.decode).find((event) => event.verificationId === verificationId)
})

/** Decides on the slip's stream and appends, from the state that was loaded or, after a lost race, a newer one. */
const decide = Effect.fnUntraced(function*(step: Step, loaded: Loaded<SlipState>, found: Found | null) {
  const { context, request, stream } = step
  return yield* handleCommand(slips, stream, {
    _tag: "VerifySlip",
    verificationId: request.verificationId,
    serviceId: request.caller.serviceId,
    branchId: request.caller.branchId,
    at: isoTime(context.at),
    month: step.month,
    remark: yield* sealRemark(request.remark),
    expectedAmount: request.expectedAmount ?? null,
    evidence: found?.evidence ?? null
  }, context, loaded).pipe(Effect.catchTag("EvidenceMissing", Effect.die))
})

const answer = Effect.fnUntraced(function*(step: Step, { after, events }: Handled<SlipState, SlipEvent>, found: Found | null) {
  const { request, slip, stream } = step
  // Nothing new: an earlier append of the same verification, whose outcome was unknown, did come out.
  const event = events[0] ?? (yield* recordedEvent(stream, request.verificationId))
  if (after.first === null || event === undefined) return yield* Effect.die("a verified slip has a first verification")
  const { at, branchId, transfer } = after.first
  const verification: Verification = {
    verificationId: request.verificationId,
    slip,
    transfer: event._tag === "SlipVerified" && found !== null ? found.transfer : yield* openTransfer(transfer),
    duplicate: event._tag === "SlipVerified" ? null : {
      firstVerifiedAt: at,
      sameBranch: branchId === request.caller.branchId,
      count: HashSet.size(after.verifications)
    },
    remark: request.remark,
    expectedAmount: request.expectedAmount,
    isAmountMatched: event.isAmountMatched ?? undefined
  }
  return verification
})

/**
 * What this branch has had before is free and answered from what is known; what the service knows through another
 * branch costs one unit and asks no bank; everything else costs one unit once the bank has found it.
 */
const judge = Effect.fnUntraced(function*(step: Step) {
  const { context, request, scope, slip, stream } = step
  const { branch, branchId } = request.caller
  const loaded = yield* load(slips, stream, step.hot.get(stream))
  step.hot.keep(stream, loaded)
  if (!costs(loaded.state, branchId)) return yield* answer(step, yield* decide(step, loaded, null), null)

  let appending = false
  let found: Found | null = null
  const handled = yield* withQuotaUnit(
    { branchId, month: step.month, reservationId: request.verificationId },
    branch.quota,
    Effect.fnUntraced(function*(isInTime) {
      if (loaded.state.first === null) found = yield* askBank(slip, context.at)
      yield* isInTime
      appending = true
      return yield* Effect.uninterruptible(decide(step, loaded, found))
    }),
    {
      outcome: (exit) => charge(exit, appending),
      // One that lost the race to its own branch is in the log and free.
      wasCharged: Effect.map(recordedEvent(stream, request.verificationId), (event) => event?.charged ?? false),
      scope
    }
  )
  return yield* answer(step, handled, found)
})

/** Everything that can stand between a request and its verdict. */
export type VerificationError =
  | VerificationFailure
  | ImageUrlFailed
  | ImageUnusable
  | ReaderUnavailable
  | QuotaExceeded
  | QuotaError
  | EventStoreError
  | WrongExpectedRevision

/** Verifies slips for branches. An answered verification, or one that found nothing, is in the log. */
export class SlipVerifier extends Context.Service<SlipVerifier, {
  readonly verify: (request: VerificationRequest) => Effect.Effect<Verification, VerificationError>
}>()("sliptrail/application/SlipVerifier") {
  static readonly layer = Layer.suspend(() => Layer.effect(SlipVerifier, make))
}

const make = Effect.gen(function*() {
  const services = yield* Effect.context<
    EventStore | Quota | BankGateway | SlipReader | Egress | Vault | Identifiers
  >()
  const scope = yield* Effect.scope
  const lock = makeKeyedLock({ patience: PATIENCE, isShared: isAway })
  const hot = makeHotStreams<SlipState>()

  const verify = Effect.fnUntraced(function*(request: VerificationRequest) {
    const { caller: { branchId, serviceId }, correlationId, source, verificationId } = request
    const at = yield* Clock.currentTimeMillis
    const context: CommandContext = { commandId: verificationId, correlationId, actor: { kind: "branch", id: branchId }, at }
    const failed = (digest: string | null) => (failure: VerificationFailure) =>
      recordFailure({
        verificationId,
        serviceId,
        branchId,
        at: isoTime(at),
        slipDigest: digest
      }, failure, context).pipe(Effect.andThen(Effect.fail(failure)))

    const slip = yield* Effect.catchTag(readSlip(source), "NoSlip", failed(null))
    const digest = yield* slipDigest(slip.sendingBank, slip.transRef)
    const stream = streamOf.slip(serviceId, digest)
    return yield* judge({ scope, hot, request, slip, stream, context, month: quotaMonth(at) }).pipe(
      lock.withKey(stream),
      Effect.catchTag(["SlipUnknown", "SlipPending", "UpstreamUnavailable"], failed(digest))
    )
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
  return SlipVerifier.of({ verify: (request) => Effect.updateContext(verify(request), within) })
})
