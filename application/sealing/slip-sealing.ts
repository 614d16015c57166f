import { Effect, Schema } from "effect"
import type { Sealed } from "../../domain/sealed.ts"
import { Transfer } from "../../domain/slip/transfer.ts"
import { Matching } from "../../domain/slip/matching/recorded-matching.ts"
import { Vault } from "../../ports/vault.ts"

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

/**
 * The subject of everything that is kept of a slip, in whichever service: its key is its own (docs/spec/events.md,
 * "Personal data").
 */
export const subjectOfSlip = (slipDigest: string): string => `slip:${slipDigest}`

/** Opens what was sealed; undefined when its subject was forgotten. A value that doesn't open otherwise is a defect. */
export const openKept = Effect.fnUntraced(function* (purpose: string, sealed: Sealed) {
  return yield* (yield* Vault).open(purpose, sealed).pipe(
    Effect.catchIf(({ reason }) => reason === "forgotten", () => Effect.undefined)
  )
}, Effect.orDie)

const seal = (purpose: string, plain: string, subject: string) =>
  Effect.flatMap(Vault, (vault) => vault.seal(purpose, plain, subject))

const nothing = Effect.succeed(null)

/** Seals what a bank said, so that it can stand in the log. */
export const sealTransfer = (transfer: Transfer, subject: string) =>
  seal(slipPurposes.transfer, JSON.stringify(transfer), subject)

/** Opens what a bank said; undefined when the slip was forgotten. */
export const openTransfer = Effect.fnUntraced(function* (sealed: Sealed) {
  const text = yield* openKept(slipPurposes.transfer, sealed)
  return text === undefined ? undefined : yield* Effect.orDie(decodeTransfer(text))
})

/** Seals the body of a bank's answer, untouched. */
export const sealUpstream = (body: string | null, subject: string) =>
  body === null ? nothing : seal(slipPurposes.upstream, body, subject)

/** Seals what came of comparing the receiver with a branch's accounts. */
export const sealMatching = (matching: Matching | null, subject: string) =>
  matching === null ? nothing : seal(slipPurposes.matching, JSON.stringify(matching), subject)

/** Opens what came of that comparison; null when there was none, or the slip was forgotten. */
export const openMatching = Effect.fnUntraced(function* (sealed: Sealed | null) {
  const text = sealed === null ? undefined : yield* openKept(slipPurposes.matching, sealed)
  return text === undefined ? null : yield* Effect.orDie(decodeMatching(text))
})

/** Seals what a caller wrote beside its slip. */
export const sealRemark = (remark: string | undefined, subject: string) =>
  remark === undefined ? nothing : seal(slipPurposes.remark, remark, subject)

/** Opens what a caller wrote beside its slip; undefined when it wrote nothing, or its subject was forgotten. */
export const openRemark = (sealed: Sealed | null) =>
  sealed === null ? Effect.undefined : openKept(slipPurposes.remark, sealed)

/** The name of a slip that gives nothing away (docs/spec/events.md, "Personal data"). */
export const slipDigest = (sendingBank: string, transRef: string) =>
  Effect.map(Vault, (vault) => vault.digest("slip", `${sendingBank}:${transRef}`))
