import { Effect } from "effect"
import { type Satang, satang } from "../../domain/money.ts"
import { encodeSlipPayload, type SlipPayload } from "../../domain/slip/payload.ts"
import type { SlipEvent, SlipVerified } from "../../domain/slip/slip.ts"
import type { Transfer } from "../../domain/slip/transfer.ts"
import { slips } from "../../domain/events/aggregates.ts"
import type { Matching } from "../../domain/slip/matching/recorded-matching.ts"
import { EventStore } from "../../ports/event-store.ts"
import { openMatching, openRemark, openTransfer } from "../sealing/slip-sealing.ts"

/** The verdict on a slip that its bank knows (docs/spec/http.md, "VerifyBankData"; money in satang). */
export interface Verification {
  readonly verificationId: string
  /** The QR text in canonical form. */
  readonly payload: string
  readonly transfer: Transfer
  /** The personal data of the slip was deleted: the transfer has but its amount, time and sending bank. */
  readonly isForgotten: boolean
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
  /** Null when no account was to be compared. */
  readonly matching: Matching | null
}

/** What stands sealed in the log and is at hand in the clear while the verification runs. */
export interface InTheClear {
  readonly slip: SlipPayload
  /** Undefined where it has to be opened. */
  readonly transfer: Transfer | undefined
  readonly remark: string | undefined
  readonly matching: Matching | null
}

/** One verification among those of its slip. */
export interface Placed {
  readonly first: SlipVerified
  readonly event: SlipEvent
  /** How many the slip had with it. */
  readonly count: number
}

const NOBODY = { bank: { id: "", name: "", short: "" }, account: { name: {} } }

/** What is left of a transfer once its slip was forgotten: what stands in the log in the clear. */
const remains = ({ amount, sendingBank, transferredAt }: SlipVerified, transRef: string): Transfer => ({
  transRef,
  sendingBank,
  transferredAt,
  countryCode: "TH",
  amount,
  fee: satang(0),
  ref1: "",
  ref2: "",
  ref3: "",
  sender: NOBODY,
  receiver: { ...NOBODY, merchantId: null }
})

/** What the log says of a verification; what is not at hand in the clear is opened. */
export const tellVerification = Effect.fnUntraced(function* ({ count, event, first }: Placed, clear?: InTheClear) {
  const { at, branchId, sendingBank, transfer: sealed } = first
  const opened = clear?.transfer ?? (yield* openTransfer(sealed))
  const transRef = opened?.transRef ?? clear?.slip.transRef ?? ""
  const verification: Verification = {
    verificationId: event.verificationId,
    payload: transRef === "" ? "" : encodeSlipPayload(sendingBank, transRef),
    transfer: opened ?? remains(first, transRef),
    isForgotten: opened === undefined,
    duplicate: event._tag === "SlipVerified"
      ? null
      : { firstVerifiedAt: at, sameBranch: branchId === event.branchId, count },
    remark: clear === undefined ? yield* openRemark(event.remark) : clear.remark,
    expectedAmount: event.expectedAmount ?? undefined,
    isAmountMatched: event.isAmountMatched ?? undefined,
    matching: clear === undefined ? yield* openMatching(event.matching ?? null) : clear.matching
  }
  return verification
})

/** A verification as it stands in the log of its slip; undefined when it does not. */
export const recordedVerification = Effect.fnUntraced(function* (stream: string, verificationId: string) {
  const events = (yield* (yield* EventStore).readStream(stream)).map(slips.codec.decode)
  const index = events.findIndex((event) => event.verificationId === verificationId)
  const [first] = events
  const event = events[index]
  if (event === undefined || first?._tag !== "SlipVerified") return undefined
  const placed: Placed = { first, event, count: index + 1 }
  return placed
})
