import { Context, Data, Effect } from "effect"
import { ExpectedError } from "../../domain/expected-error.ts"
import { isSendingBank } from "../../domain/bank.ts"
import type { ReplyRecord } from "../../domain/slip/gateway-reply.ts"
import type { Evidence } from "../../domain/slip/slip.ts"
import { pendingMillis, type PendingRule } from "../../domain/slip/transfer-time.ts"
import type { Transfer } from "../../domain/slip/transfer.ts"
import { statedWaitSeconds } from "../../domain/waits.ts"
import { BankGateway, type GatewayReply, type SlipQuestion, type WalletQuestion } from "../../ports/bank-gateway.ts"
import { type SealedFor, sealTransfer, sealUpstream } from "../sealing/sealed-data.ts"
import type { Slip } from "./wallet-slip.ts"

/** The gateway that was asked, its time and its sealed answer, as the log stores them. */
export interface GatewayCall extends ReplyRecord {
  readonly gateway: string
  readonly gatewayMillis: number
}

/** No bank has a record of the slip. */
export class SlipUnknown extends ExpectedError("SlipUnknown")<{
  readonly reason: "unknown-bank" | "not-found-upstream" | "too-old"
  readonly asked: GatewayCall | null
}> {}

/** The transfer is recent. The bank has no record of it yet and may have one later. */
export class SlipPending extends Data.TaggedError("SlipPending")<{
  readonly sendingBank: string
  readonly retryAfterSeconds: number
  readonly asked: GatewayCall
}> {}

/** No gateway gave a clear answer, so the slip is neither confirmed nor refused. */
export class UpstreamUnavailable extends Data.TaggedError("UpstreamUnavailable")<{
  readonly why: string
  readonly retryAfterSeconds: number
  readonly asked: GatewayCall
}> {}

/** Banks that may have no record of a recent transfer yet (settings `PENDING_BANKS`, `PENDING_WINDOW`). */
export const Pending = Context.Reference<PendingRule>("sliptrail/application/Pending", {
  defaultValue: () => ({ banks: ["002"], windowMillis: 300_000 })
})

/** A bank's answer, in plain text for the caller and sealed for the log. */
export interface Found {
  readonly transfer: Transfer
  readonly evidence: Evidence
}

const sealReply = (
  { before, gateway, tookMillis, upstream }: Omit<GatewayReply, "answer">,
  owner: SealedFor
) =>
  Effect.map(sealUpstream(upstream, owner), (sealed): GatewayCall => ({
    gateway,
    gatewayMillis: tookMillis,
    upstream: sealed,
    askedBefore: before.map(({ gateway, outcome, tookMillis, why }) => ({
      gateway,
      gatewayMillis: tookMillis,
      outcome,
      why
    }))
  }))

/** How long the bank asks to wait. */
const waitOf = ({ retryAfterSeconds }: { readonly retryAfterSeconds: number }): number =>
  statedWaitSeconds(retryAfterSeconds)

/** The question about a slip; undefined when its sending bank is unknown. */
const questionOf = (
  slip: Slip,
  branchId: string,
  presentedAt: number | undefined
): SlipQuestion | WalletQuestion | undefined => {
  const presented = presentedAt === undefined ? {} : { presentedAt }
  if ("picture" in slip) return { branchId, ...slip, ...presented }
  const { sendingBank, text: payload, transRef } = slip
  return isSendingBank(sendingBank) ? { branchId, sendingBank, transRef, payload, ...presented } : undefined
}

/**
 * Asks the bank about a slip for a branch, and seals its answer for the event that will have it. A slip without a record
 * at the bank is pending until its pending window ends. Rule: docs/spec/http.md, "Pending window". The service received the
 * slip at `presentedAt`, which is undefined for now; both times are in milliseconds since 1970.
 */
export const askBank = Effect.fnUntraced(function* (
  slip: Slip,
  branchId: string,
  owners: { readonly found: SealedFor; readonly notFound: SealedFor },
  { now, presentedAt }: { readonly now: number; readonly presentedAt: number | undefined }
) {
  const { sendingBank, transRef } = slip
  const question = questionOf(slip, branchId, presentedAt)
  if (question === undefined) return yield* new SlipUnknown({ reason: "unknown-bank", asked: null })

  const { answer, ...reply } = yield* (yield* BankGateway).verify(question)
  const owner = answer._tag === "Found" ? owners.found : owners.notFound
  const asked = yield* sealReply(reply, owner)
  switch (answer._tag) {
    case "Found": {
      const { transfer } = answer
      return {
        transfer,
        evidence: {
          sendingBank,
          amount: transfer.amount,
          transferredAt: transfer.transferredAt,
          transfer: yield* sealTransfer(transfer, owner),
          ...asked
        }
      } satisfies Found
    }
    case "NotFound": {
      if (answer.isTooOld) return yield* new SlipUnknown({ reason: "too-old", asked })
      const wait = pendingMillis(yield* Pending, sendingBank, transRef, now, presentedAt)
      if (wait === 0) return yield* new SlipUnknown({ reason: "not-found-upstream", asked })
      return yield* new SlipPending({ sendingBank, retryAfterSeconds: Math.ceil(wait / 1000), asked })
    }
    case "Pending":
      return yield* new SlipPending({ sendingBank, retryAfterSeconds: waitOf(answer), asked })
    case "Unavailable":
    case "NotAuthorised":
    case "QuotaExhausted":
      return yield* new UpstreamUnavailable({ why: answer.why, retryAfterSeconds: waitOf(answer), asked })
  }
})
