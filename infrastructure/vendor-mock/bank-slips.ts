import { Result } from "effect"
import { isSendingBank } from "../../domain/bank.ts"
import { parseSlipPayload } from "../../domain/slip/payload.ts"
import type { Transfer } from "../../domain/slip/transfer.ts"
import { FAILURES_BEFORE_FOUND, PENDING_SECONDS, SLOW_MILLIS } from "../banks/sandbox/sandbox-gateway.ts"
import { parseTransRef } from "../banks/sandbox/sandbox-slip.ts"
import { sandboxTransfer } from "../banks/sandbox/sandbox-transfer.ts"

/** What the vendors know about a slip. */
export type Knowledge =
  | { readonly _tag: "Found"; readonly transfer: Transfer; readonly hasAmount: boolean; readonly delayMillis: number }
  | { readonly _tag: "Refused"; readonly refusal: "not-found" | "pending" | "bank-down" | "invalid" }

export type BankSlips = ReturnType<typeof makeBankSlips>

export interface KnownSlip {
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
export const makeBankSlips = () => {
  const failures = new Map<string, number>()

  /** `now` in milliseconds since 1970. */
  const know = (sendingBank: string, transRef: string, now: number): Knowledge => {
    const ref = isSendingBank(sendingBank) ? parseTransRef(transRef) : undefined
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

  return (text: string, now: number): KnownSlip =>
    Result.match(parseSlipPayload(text), {
      onFailure: () => ({ payload: "", reference: "", knowledge: refused("invalid") }),
      onSuccess: ({ sendingBank, text: payload, transRef }) => ({
        payload,
        reference: `${sendingBank}:${transRef}`,
        knowledge: know(sendingBank, transRef, now)
      })
    })
}
