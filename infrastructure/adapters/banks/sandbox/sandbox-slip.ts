import { Result } from "effect"
import { type Satang, satang } from "../../../../domain/money.ts"
import { encodeSlipPayload } from "../../../../domain/slip/payload.ts"
import { encodeWalletPayload, TRUEMONEY, walletTransRef } from "../../../../domain/slip/wallet-payload.ts"
import { bangkokDay } from "../../../../domain/time.ts"

/** The behaviour of the sandbox bank for a slip, with its letter in the transRef. */
const outcomeLetters = {
  found: "F",
  "not-found": "N",
  pending: "P",
  down: "D",
  retry: "R",
  slow: "S",
  nonsense: "X"
} as const

export type Outcome = keyof typeof outcomeLetters

/** Every outcome, as spelled on the command line. */
export const outcomes = Object.keys(outcomeLetters) as ReadonlyArray<Outcome>

/** An index into `receivers`. */
export type ReceiverIndex = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9

/** The content of a transRef of the sandbox bank. The sandbox bank stores nothing else. */
export interface SandboxRef {
  readonly outcome: Outcome
  readonly receiver: ReceiverIndex
  /** 1 to `MAX_AMOUNT`. */
  readonly amount: Satang
  /** Time of the transfer in whole seconds since 1970, 0 to `MAX_SECONDS`. */
  readonly seconds: number
  /** Six digits or upper-case letters that distinguish equal transfers. */
  readonly nonce: string
}

/** The field that cannot be encoded. */
export type InvalidField = "receiver" | "amount" | "time" | "nonce"

const WIDTH = 7

/** The largest number of seven base-36 digits: 783 641 640.95 baht. */
export const MAX_AMOUNT: Satang = satang(36 ** WIDTH - 1)

/** The largest number of seven base-36 digits: in the year 4453. */
export const MAX_SECONDS: number = 36 ** WIDTH - 1

/**
 * `SBX`, outcome, receiver, amount and time in base 36 of seven digits each, nonce: 25 upper-case characters
 * (docs/spec/operations.md, "The sandbox bank").
 */
export const encodeTransRef = (ref: SandboxRef): Result.Result<string, InvalidField> => {
  if (!isReceiver(ref.receiver)) return Result.fail("receiver")
  if (!isWithin(ref.amount, 1, MAX_AMOUNT)) return Result.fail("amount")
  if (!isWithin(ref.seconds, 0, MAX_SECONDS)) return Result.fail("time")
  if (!/^[0-9A-Z]{6}$/u.test(ref.nonce)) return Result.fail("nonce")
  return Result.succeed(
    `SBX${outcomeLetters[ref.outcome]}${ref.receiver}${base36(ref.amount)}${base36(ref.seconds)}${ref.nonce}`
  )
}

/** Reads a transRef of the sandbox bank; undefined for any other text. */
export const parseTransRef = (text: string): SandboxRef | undefined => {
  const parts = /^SBX([FNPDRSX])([0-9])([0-9A-Z]{7})([0-9A-Z]{7})([0-9A-Z]{6})$/u.exec(text)
  if (parts === null) return undefined
  const [, letter = "", receiver = "", amount = "", seconds = "", nonce = ""] = parts
  const outcome = outcomeOf.get(letter)
  const index = Number(receiver)
  const inSatang = Number.parseInt(amount, 36)
  if (outcome === undefined || !isReceiver(index) || inSatang === 0) return undefined
  return { outcome, receiver: index, amount: satang(inSatang), seconds: Number.parseInt(seconds, 36), nonce }
}

const outcomeOf: ReadonlyMap<string, Outcome> = new Map(outcomes.map((outcome) => [outcomeLetters[outcome], outcome]))

export const isReceiver = (index: number): index is ReceiverIndex => isWithin(index, 0, 9)

const isWithin = (number: number, least: number, most: number): boolean =>
  Number.isInteger(number) && number >= least && number <= most

const base36 = (number: number): string => number.toString(36).toUpperCase().padStart(WIDTH, "0")

export interface SandboxSlipOptions {
  /** Above 0, at most `MAX_AMOUNT`. */
  readonly amount: Satang
  /** Code of the sending bank, three digits, or `TRUEMONEY`. The sandbox bank finds nothing for an unknown code. */
  readonly bank: string
  readonly receiver: ReceiverIndex
  readonly outcome: Outcome
  /** Time of the transfer in milliseconds since 1970; fractions of a second are dropped. */
  readonly at: number
  /** Six digits or upper-case letters; see `nonceOf`. */
  readonly nonce: string
}

/** A slip of the sandbox bank. */
export interface SandboxSlip {
  /** The text of the QR code. */
  readonly payload: string
  /** Three digits, or `TRUEMONEY`. */
  readonly sendingBank: string
  /** `TW` and the transaction id for a TrueMoney slip. */
  readonly transRef: string
}

/** Makes a slip. Throws a RangeError that names the invalid option. */
export const makeSandboxSlip = (options: SandboxSlipOptions): SandboxSlip => {
  const { amount, at, bank, nonce, outcome, receiver } = options
  if (!/^(\d{3}|TRUEMONEY)$/u.test(bank)) throw new RangeError(`bank "${bank}" is not three digits or TRUEMONEY`)
  const transRef = encodeTransRef({ outcome, receiver, amount, seconds: Math.floor(at / 1000), nonce })
  if (Result.isFailure(transRef)) throw new RangeError(invalidFieldMessages[transRef.failure](options))
  const ref = transRef.success
  return bank === TRUEMONEY
    ? { payload: encodeWalletPayload(ref, "P2P", bangkokDay(at)), sendingBank: bank, transRef: walletTransRef(ref) }
    : { payload: encodeSlipPayload(bank, ref), sendingBank: bank, transRef: ref }
}

/** A nonce from an integer of at least 0. Integers below 36⁶ (2 176 782 336) give different nonces. */
export const nonceOf = (number: number): string => (number % 36 ** 6).toString(36).toUpperCase().padStart(6, "0")

const invalidFieldMessages: Readonly<Record<InvalidField, (options: SandboxSlipOptions) => string>> = {
  receiver: ({ receiver }) => `receiver ${receiver} is not one of 0 to 9`,
  amount: ({ amount }) => `amount ${amount} satang is not between 1 satang and 783 641 640.95 baht`,
  time: ({ at }) => `time ${at} is not between 1970 and the year 4453`,
  nonce: ({ nonce }) => `nonce "${nonce}" is not six digits or upper-case letters`
}
