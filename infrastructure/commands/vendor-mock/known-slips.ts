import { Result } from "effect"
import { isSendingBank } from "../../../domain/bank.ts"
import { parseSlipPayload } from "../../../domain/slip/payload.ts"
import type { Transfer } from "../../../domain/slip/transfer.ts"
import { parseWalletPayload, transactionIdOf, TRUEMONEY, walletTransRef } from "../../../domain/slip/wallet-payload.ts"
import { FAILURES_BEFORE_FOUND, PENDING_SECONDS, SLOW_MILLIS } from "../../adapters/banks/sandbox/sandbox-gateway.ts"
import { parseTransRef, type SandboxRef } from "../../adapters/banks/sandbox/sandbox-slip.ts"
import { sandboxTransfer } from "../../adapters/banks/sandbox/sandbox-transfer.ts"

/** What the vendors know about a slip. */
export type Knowledge =
  | { readonly _tag: "Found"; readonly transfer: Transfer; readonly hasAmount: boolean; readonly delayMillis: number }
  | { readonly _tag: "Refused"; readonly refusal: "not-found" | "pending" | "bank-down" | "invalid" }

export type KnownSlips = ReturnType<typeof makeKnownSlips>

export interface KnownSlip {
  readonly isWallet: boolean
  /** Canonical; empty when the text is not a slip. */
  readonly payload: string
  /** Distinguishes slips in the counts. */
  readonly reference: string
  readonly knowledge: Knowledge
}

const refused = (refusal: Extract<Knowledge, { readonly _tag: "Refused" }>["refusal"]): Knowledge => ({
  _tag: "Refused",
  refusal
})

/**
 * The slips of one vendor: those of the sandbox bank, with the same transfers and outcomes. A vendor finds no other
 * slip. The only state counts the failures of slips with the outcome `retry`.
 */
export const makeKnownSlips = () => {
  const failures = new Map<string, number>()

  /** `now` in milliseconds since 1970. */
  const know = (sendingBank: string, transRef: string, now: number): Knowledge => {
    const ref = refOf(sendingBank, transRef)
    if (ref === undefined) return refused("not-found")
    const transfer = sandboxTransfer(ref, sendingBank, transRef)
    const found: Knowledge = { _tag: "Found", transfer, hasAmount: true, delayMillis: 0 }
    switch (ref.outcome) {
      case "found":
        return found
      case "not-found":
        return refused("not-found")
      case "pending":
        return (ref.seconds + PENDING_SECONDS) * 1_000 > now ? refused("pending") : found
      case "down":
        return refused("bank-down")
      case "retry": {
        const count = failures.get(transRef) ?? 0
        failures.set(transRef, count + 1)
        return count < FAILURES_BEFORE_FOUND ? refused("bank-down") : found
      }
      case "slow":
        return { ...found, delayMillis: SLOW_MILLIS }
      case "nonsense":
        return { ...found, hasAmount: false }
    }
  }

  return (text: string, now: number): KnownSlip => {
    const known = (sendingBank: string, transRef: string, payload: string): KnownSlip => ({
      isWallet: sendingBank === TRUEMONEY,
      payload,
      reference: `${sendingBank}:${transRef}`,
      knowledge: know(sendingBank, transRef, now)
    })
    const wallet = parseWalletPayload(text)
    if (wallet !== undefined) return known(TRUEMONEY, walletTransRef(wallet.transactionId), text)
    return Result.match(parseSlipPayload(text), {
      onFailure: () => ({ isWallet: false, payload: "", reference: "", knowledge: refused("invalid") }),
      onSuccess: ({ sendingBank, text: payload, transRef }) => known(sendingBank, transRef, payload)
    })
  }
}

const refOf = (sendingBank: string, transRef: string): SandboxRef | undefined => {
  if (sendingBank === TRUEMONEY) return parseTransRef(transactionIdOf(transRef))
  return isSendingBank(sendingBank) ? parseTransRef(transRef) : undefined
}
