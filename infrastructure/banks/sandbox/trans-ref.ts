import { Result } from "effect"
import { type Satang, satang } from "../../../domain/money.ts"

/** What the sandbox bank does when it is asked for a slip, with the letter that stands in the transRef. */
export const outcomeLetters = {
  found: "F",
  "not-found": "N",
  pending: "P",
  down: "D",
  retry: "R",
  slow: "S",
  nonsense: "X"
} as const

export type Outcome = keyof typeof outcomeLetters

/** Every outcome, as the command line spells them. */
export const outcomes: ReadonlyArray<Outcome> = [
  "found",
  "not-found",
  "pending",
  "down",
  "retry",
  "slow",
  "nonsense"
]

/** Which of the ten receivers the money went to: an index into `receivers`. */
export type ReceiverIndex = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9

/** Everything that the sandbox bank knows of a transfer; it keeps nothing besides. */
export interface SandboxRef {
  readonly outcome: Outcome
  readonly receiver: ReceiverIndex
  /** 1 to `MAX_AMOUNT`. */
  readonly amount: Satang
  /** Transfer time in whole seconds since 1970, 0 to `MAX_SECONDS`. */
  readonly seconds: number
  /** Six digits or upper-case letters that tell equal transfers apart. */
  readonly nonce: string
}

/** The part of a `SandboxRef` that can't be written as a transRef. */
export type RefFault = "receiver" | "amount" | "time" | "nonce"

const WIDTH = 7

/** The most that seven base-36 digits hold: 783 641 640.95 baht. */
export const MAX_AMOUNT: Satang = satang(36 ** WIDTH - 1)

/** The same number of seconds: a moment in the year 4453. */
export const MAX_SECONDS: number = 36 ** WIDTH - 1

/**
 * `SBX`, outcome, receiver, amount and time in base 36 of seven digits each, nonce: 25 upper-case characters
 * (docs/spec/operations.md, "The sandbox bank").
 */
export const encodeTransRef = (ref: SandboxRef): Result.Result<string, RefFault> => {
  if (!isReceiver(ref.receiver)) return Result.fail("receiver")
  if (!isWithin(ref.amount, 1, MAX_AMOUNT)) return Result.fail("amount")
  if (!isWithin(ref.seconds, 0, MAX_SECONDS)) return Result.fail("time")
  if (!/^[0-9A-Z]{6}$/u.test(ref.nonce)) return Result.fail("nonce")
  return Result.succeed(
    `SBX${outcomeLetters[ref.outcome]}${ref.receiver}${base36(ref.amount)}${base36(ref.seconds)}${ref.nonce}`
  )
}

/** Reads a transRef of the sandbox bank; undefined for every text that `encodeTransRef` never writes. */
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
