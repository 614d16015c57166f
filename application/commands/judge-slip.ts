import { Effect, Exit, HashSet, type Scope } from "effect"
import type { Satang } from "../../domain/money.ts"
import type { SlipPayload } from "../../domain/slip/payload.ts"
import { costs, type SlipEvent, type SlipState } from "../../domain/slip/slip.ts"
import type { Transfer } from "../../domain/slip/transfer.ts"
import { isoTime } from "../../domain/time.ts"
import { slips } from "../aggregates.ts"
import { type CommandContext, type Handled, handleCommand, load, type Loaded } from "../handle-command.ts"
import type { HotStreams } from "../hot-streams.ts"
import { EventStore } from "../ports/event-store.ts"
import { askBank, type Found } from "./ask-bank.ts"
import { type Charge, withQuotaUnit } from "./quota-unit.ts"
import { openTransfer, sealRemark } from "./slip-vault.ts"

/** What a slip is verified for, and for whom. */
export interface Inquiry {
  readonly verificationId: string
  readonly serviceId: string
  readonly branchId: string
  /** The quota month that is charged. */
  readonly month: string
  /** Units of the month; null holds none, because there is no limit or because somebody holds one already. */
  readonly limit: number | null
  readonly remark: string | undefined
  readonly expectedAmount: Satang | undefined
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

/** A verdict, and whether it cost the branch one unit. */
export interface Judgement {
  readonly verification: Verification
  readonly charged: boolean
}

export interface SlipCase {
  /** Of the service, not of the request. */
  readonly scope: Scope.Scope
  readonly hot: HotStreams<SlipState>
  readonly inquiry: Inquiry
  readonly slip: SlipPayload
  readonly stream: string
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

/** The event of a verification as it stands in the log, if it does, and how many the slip had then. */
const recordedEvent = Effect.fnUntraced(function*(stream: string, verificationId: string) {
  const events = (yield* (yield* EventStore).readStream(stream)).map(slips.codec.decode)
  const index = events.findIndex((event) => event.verificationId === verificationId)
  const event = events[index]
  return event === undefined ? undefined : { event, count: index + 1 }
})

/** Decides on the slip's stream and appends, from the state that was loaded or, after a lost race, a newer one. */
const decide = Effect.fnUntraced(function*(step: SlipCase, loaded: Loaded<SlipState>, found: Found | null) {
  const { context, inquiry: { limit: _, ...inquiry }, stream } = step
  return yield* handleCommand(slips, stream, {
    _tag: "VerifySlip",
    ...inquiry,
    at: isoTime(context.at),
    remark: yield* sealRemark(inquiry.remark),
    expectedAmount: inquiry.expectedAmount ?? null,
    evidence: found?.evidence ?? null
  }, context, loaded).pipe(Effect.catchTag("EvidenceMissing", Effect.die))
})

const answer = Effect.fnUntraced(function*(
  { inquiry, slip, stream }: SlipCase,
  { after, events }: Handled<SlipState, SlipEvent>,
  found: Found | null
) {
  const [appended] = events
  // Nothing new: an earlier append of the same verification, whose outcome was unknown, did come out.
  const said = appended === undefined
    ? yield* recordedEvent(stream, inquiry.verificationId)
    : { event: appended, count: HashSet.size(after.verifications) }
  if (after.first === null || said === undefined) return yield* Effect.die("a verified slip has a first verification")
  const { count, event } = said
  const { at, branchId, transfer } = after.first
  const judgement: Judgement = {
    verification: {
      verificationId: inquiry.verificationId,
      slip,
      transfer: event._tag === "SlipVerified" && found !== null ? found.transfer : yield* openTransfer(transfer),
      duplicate: event._tag === "SlipVerified"
        ? null
        : { firstVerifiedAt: at, sameBranch: branchId === inquiry.branchId, count },
      remark: inquiry.remark,
      expectedAmount: inquiry.expectedAmount,
      isAmountMatched: event.isAmountMatched ?? undefined
    },
    charged: event.charged
  }
  return judgement
})

/**
 * What this branch has had before is free and answered from what is known; what the service knows through another
 * branch costs one unit and asks no bank; everything else costs one unit once the bank has found it.
 */
export const judgeSlip = Effect.fnUntraced(function*(step: SlipCase) {
  const { context, inquiry: { branchId, limit, month, verificationId }, scope, slip, stream } = step
  const loaded = yield* load(slips, stream, step.hot.get(stream))
  step.hot.keep(stream, loaded)
  if (!costs(loaded.state, branchId)) return yield* answer(step, yield* decide(step, loaded, null), null)

  let appending = false
  let found: Found | null = null
  const handled = yield* withQuotaUnit(
    { branchId, month, reservationId: verificationId },
    limit,
    Effect.fnUntraced(function*(isInTime) {
      if (loaded.state.first === null) found = yield* askBank(slip, context.at)
      yield* isInTime
      appending = true
      return yield* Effect.uninterruptible(decide(step, loaded, found))
    }),
    {
      outcome: (exit) => charge(exit, appending),
      // One that lost the race to its own branch is in the log and free.
      wasCharged: Effect.map(recordedEvent(stream, verificationId), (recorded) => recorded?.event.charged ?? false),
      scope
    }
  )
  return yield* answer(step, handled, found)
})
