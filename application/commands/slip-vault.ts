import { Effect, Schema } from "effect"
import type { Sealed } from "../../domain/sealed.ts"
import { Transfer } from "../../domain/slip/transfer.ts"
import { Matching } from "../matching.ts"
import { Vault } from "../ports/vault.ts"

/** What a sealed value is bound to: one can't be passed off as another. */
export const slipPurposes = {
  transfer: "slip-transfer",
  remark: "slip-remark",
  upstream: "bank-answer",
  matching: "account-matching"
} as const

const TransferJson = Schema.fromJsonString(Transfer)
const decodeMatching = Schema.decodeUnknownEffect(Schema.fromJsonString(Matching))
const decodeTransfer = Schema.decodeUnknownEffect(TransferJson)

/** Seals what a bank said, so that it can stand in the log. */
export const sealTransfer = Effect.fnUntraced(function*(transfer: Transfer) {
  return yield* (yield* Vault).seal(slipPurposes.transfer, JSON.stringify(transfer))
})

/** Opens what a bank said. A value that no longer opens is a defect: the key is lost or the log was changed. */
export const openTransfer = Effect.fnUntraced(function*(sealed: Sealed) {
  const text = yield* (yield* Vault).open(slipPurposes.transfer, sealed)
  return yield* decodeTransfer(text)
}, Effect.orDie)

/** Seals the body of a bank's answer, untouched. */
export const sealUpstream = Effect.fnUntraced(function*(body: string | null) {
  return body === null ? null : yield* (yield* Vault).seal(slipPurposes.upstream, body)
})

/** Seals what came of comparing the receiver with a branch's accounts. */
export const sealMatching = Effect.fnUntraced(function*(matching: Matching | null) {
  return matching === null ? null : yield* (yield* Vault).seal(slipPurposes.matching, JSON.stringify(matching))
})

/** Opens what came of that comparison; a value that no longer opens is a defect. */
export const openMatching = Effect.fnUntraced(function*(sealed: Sealed | null) {
  if (sealed === null) return null
  return yield* decodeMatching(yield* (yield* Vault).open(slipPurposes.matching, sealed))
}, Effect.orDie)

export const sealRemark = Effect.fnUntraced(function*(remark: string | undefined) {
  return remark === undefined ? null : yield* (yield* Vault).seal(slipPurposes.remark, remark)
})

/** Opens what a caller wrote beside its slip; a value that no longer opens is a defect. */
export const openRemark = Effect.fnUntraced(function*(sealed: Sealed | null) {
  return sealed === null ? undefined : yield* (yield* Vault).open(slipPurposes.remark, sealed)
}, Effect.orDie)

/** The name of a slip that gives nothing away (contract: events, "stream names and dedup keys use a keyed digest"). */
export const slipDigest = Effect.fnUntraced(function*(sendingBank: string, transRef: string) {
  return (yield* Vault).digest("slip", `${sendingBank}:${transRef}`)
})
