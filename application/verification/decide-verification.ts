import { Effect, Exit, HashSet, type Scope } from "effect"
import type { Satang } from "../../domain/money.ts"
import type { AccountQuestion } from "../../domain/slip/matching.ts"
import type { SlipPayload } from "../../domain/slip/payload.ts"
import { costs, type SlipEvent, type SlipState } from "../../domain/slip/slip.ts"
import type { Transfer } from "../../domain/slip/transfer.ts"
import { isoTime } from "../../domain/time.ts"
import { streamOf } from "../../domain/events/streams.ts"
import { slips } from "../../domain/events/aggregates.ts"
import { type CommandContext, handleCommand, type Handled, load, type Loaded } from "../events/handle-command.ts"
import type { StateCache } from "../events/state-cache.ts"
import type { Matching } from "../../domain/slip/matching/recorded-matching.ts"
import { askBank, type Found } from "./ask-bank.ts"
import { matchAccount, nothingToCompare } from "./match-account.ts"
import { type Charge, withQuotaUnit } from "../quota/quota-unit.ts"
import { openTransfer, sealMatching, sealRemark, subjectOfSlip } from "../sealing/slip-sealing.ts"
import { type InTheClear, recordedVerification, tellVerification, type Verification } from "./verification-view.ts"

/** What a slip is verified for, and for whom. */
export interface VerificationInput {
  readonly verificationId: string
  readonly serviceId: string
  readonly branchId: string
  /** The quota month that is charged. */
  readonly month: string
  /** Units of the month; null holds none, because there is no limit or because somebody holds one already. */
  readonly limit: number | null
  readonly remark: string | undefined
  readonly expectedAmount: Satang | undefined
  /** Which of the branch's accounts the receiver is compared with; undefined: with none. */
  readonly accounts: AccountQuestion | undefined
}

/** A verdict, and whether it cost the branch one unit. */
export interface Verdict {
  readonly verification: Verification
  readonly charged: boolean
}

export interface VerificationContext {
  /** Of the service, not of the request. */
  readonly scope: Scope.Scope
  readonly hot: StateCache<SlipState>
  readonly inquiry: VerificationInput
  readonly slip: SlipPayload
  readonly slipDigest: string
  readonly context: CommandContext
}

const charge = (
  exit: Exit.Exit<Handled<SlipState, SlipEvent>, { readonly _tag: string }>,
  appending: boolean
): Charge => {
  if (Exit.isSuccess(exit) && exit.value.events.length > 0) {
    return exit.value.events.some((event) => event.charged) ? "charged" : "free"
  }
  return appending ? "unknown" : "free"
}

/** What the bank said of a slip that somebody has verified. */
const openFirst = ({ first }: SlipState) => first === null ? Effect.undefined : openTransfer(first.transfer)

/** Everything that is compared with what the bank said. */
const compare = ({ accounts, branchId }: VerificationInput, transfer: Transfer | undefined) => {
  if (accounts === undefined) return Effect.succeed(null)
  return transfer === undefined ? Effect.succeed(nothingToCompare) : matchAccount(branchId, accounts, transfer)
}

const streamOfCase = ({ inquiry, slipDigest }: VerificationContext): string =>
  streamOf.slip(inquiry.serviceId, slipDigest)

/** Decides on the slip's stream and appends, from the state that was loaded or, after a lost race, a newer one. */
const decide = Effect.fnUntraced(function* (
  step: VerificationContext,
  loaded: Loaded<SlipState>,
  found: Found | null,
  matching: Matching | null
) {
  const { context, inquiry: { accounts: _, limit: __, ...inquiry }, slipDigest } = step
  const subject = subjectOfSlip(slipDigest)
  return yield* handleCommand(
    slips,
    streamOfCase(step),
    {
      _tag: "VerifySlip",
      ...inquiry,
      at: isoTime(context.at),
      remark: yield* sealRemark(inquiry.remark, subject),
      expectedAmount: inquiry.expectedAmount ?? null,
      matching: yield* sealMatching(matching, subject),
      evidence: found?.evidence ?? null
    },
    context,
    loaded
  ).pipe(Effect.catchTag("EvidenceMissing", Effect.die))
})

const answer = Effect.fnUntraced(function* (
  step: VerificationContext,
  { after, events }: Handled<SlipState, SlipEvent>,
  clear: Pick<InTheClear, "transfer" | "matching">
) {
  const { inquiry, slip } = step
  const [appended] = events
  // Nothing new: an earlier append of the same verification, whose outcome was unknown, did come out.
  const said = appended === undefined || after.first === null
    ? yield* recordedVerification(streamOfCase(step), inquiry.verificationId)
    : { first: after.first, event: appended, count: HashSet.size(after.verifications) }
  if (said === undefined) return yield* Effect.die("a verified slip has a first verification")
  const inTheClear = appended === undefined ? undefined : { ...clear, slip, remark: inquiry.remark }
  const verdict: Verdict = {
    verification: yield* tellVerification(said, inTheClear),
    charged: said.event.charged
  }
  return verdict
})

/**
 * What this branch has had before is free and answered from what is known; what the service knows through another
 * branch costs one unit and asks no bank; everything else costs one unit once the bank has found it.
 */
export const decideVerification = Effect.fnUntraced(function* (step: VerificationContext) {
  const { context, inquiry: { branchId, limit, month, verificationId }, scope, slip, slipDigest } = step
  const stream = streamOfCase(step)
  const loaded = yield* load(slips, stream, step.hot.get(stream))
  step.hot.keep(stream, loaded)
  if (!costs(loaded.state, branchId)) {
    const transfer = yield* openFirst(loaded.state)
    const matching = yield* compare(step.inquiry, transfer)
    return yield* answer(step, yield* decide(step, loaded, null, matching), { transfer, matching })
  }

  let appending = false
  let transfer: Transfer | undefined
  let matching: Matching | null = null
  const handled = yield* withQuotaUnit(
    { branchId, month, reservationId: verificationId },
    limit,
    Effect.fnUntraced(function* (isInTime) {
      const found = loaded.state.first === null ? yield* askBank(slip, subjectOfSlip(slipDigest), context.at) : null
      transfer = found?.transfer ?? (yield* openFirst(loaded.state))
      matching = yield* compare(step.inquiry, transfer)
      yield* isInTime
      appending = true
      return yield* Effect.uninterruptible(decide(step, loaded, found, matching))
    }),
    {
      outcome: (exit) => charge(exit, appending),
      // One that lost the race to its own branch is in the log and free.
      wasCharged: Effect.map(recordedVerification(stream, verificationId), (placed) => placed?.event.charged ?? false),
      scope
    }
  )
  // Whoever lost the race for the first verification is answered what the bank told the winner.
  const isOvertaken = loaded.state.first === null && handled.before.first !== null
  return yield* answer(step, handled, { transfer: isOvertaken ? undefined : transfer, matching })
})
