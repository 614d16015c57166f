import { Result } from "effect"
import type { Satang } from "../../../domain/money.ts"
import { encodeSlipPayload } from "../../../domain/slip/payload.ts"
import { encodeTransRef, type Outcome, type ReceiverIndex, type RefFault } from "./trans-ref.ts"

export interface SandboxSlipOptions {
  /** Above 0, at most `MAX_AMOUNT`. */
  readonly amount: Satang
  /** The sending bank, three digits; the sandbox bank finds nothing for a code that no bank has. */
  readonly bank: string
  readonly receiver: ReceiverIndex
  readonly outcome: Outcome
  /** Time of the transfer in milliseconds since 1970; whole seconds count. */
  readonly at: number
  /** Six digits or upper-case letters; `nonceOf` makes them from a number. */
  readonly nonce: string
}

/** A slip that the sandbox bank knows. */
export interface SandboxSlip {
  /** The text of its mini-QR. */
  readonly payload: string
  readonly sendingBank: string
  readonly transRef: string
}

/** Makes a slip. Throws a RangeError that names the option where one is out of its range. */
export const makeSandboxSlip = (options: SandboxSlipOptions): SandboxSlip => {
  const { amount, bank, nonce, outcome, receiver } = options
  if (!/^\d{3}$/u.test(bank)) throw new RangeError(`bank "${bank}" is not three digits`)
  const transRef = encodeTransRef({ outcome, receiver, amount, seconds: Math.floor(options.at / 1000), nonce })
  if (Result.isFailure(transRef)) throw new RangeError(complaints[transRef.failure](options))
  return { payload: encodeSlipPayload(bank, transRef.success), sendingBank: bank, transRef: transRef.success }
}

/** A nonce from any whole number from 0 on; numbers below 36⁶ (2 176 782 336) give each their own. */
export const nonceOf = (number: number): string => (number % 36 ** 6).toString(36).toUpperCase().padStart(6, "0")

const complaints: Readonly<Record<RefFault, (options: SandboxSlipOptions) => string>> = {
  receiver: ({ receiver }) => `receiver ${receiver} is not one of 0 to 9`,
  amount: ({ amount }) => `amount ${amount} satang is not between 1 satang and 783 641 640.95 baht`,
  time: ({ at }) => `time ${at} is not between 1970 and the year 4453`,
  nonce: ({ nonce }) => `nonce "${nonce}" is not six digits or upper-case letters`
}
