import type { Receiver } from "../transfer.ts"
import type { ReceivingAccount } from "./receiving-account.ts"

/** How many visible digits of a number on a slip agree with an account's number, and how many do not. */
export interface DigitEvidence {
  readonly agreeing: number
  readonly disagreeing: number
}

/**
 * Normalizes a number on a slip: visible digits stay, hidden ones become `x`, separators are removed. Only the part
 * after the last other character counts.
 */
export const placesOf = (text: string): string => {
  const places = text.replaceAll(/[\s\p{Cf}\p{Pd}+]/gu, "").replaceAll(/[X*•]/gu, "x")
  return /[0-9x]*$/u.exec(places)?.[0] ?? ""
}

const tally = (places: string, digits: string): DigitEvidence => {
  const visible = Array.from(places, (place, at) => place === "x" ? [] : [place === digits[at]]).flat()
  const agreeing = visible.filter((agrees) => agrees).length
  return { agreeing, disagreeing: visible.length - agreeing }
}

/** Compares the end of a number. When the shown number is longer, leading zeros are padding; other digits disagree. */
const tallyEnd = (places: string, digits: string): DigitEvidence => {
  const excess = Math.max(0, places.length - digits.length)
  const { agreeing, disagreeing } = tally(places.slice(excess), digits.slice(-places.length))
  return { agreeing, disagreeing: disagreeing + places.slice(0, excess).replaceAll("0", "").length }
}

const sum = (one: DigitEvidence, other: DigitEvidence): DigitEvidence => ({
  agreeing: one.agreeing + other.agreeing,
  disagreeing: one.disagreeing + other.disagreeing
})

/**
 * Compares places with the digits of an account's number. At equal length, each place is compared. Otherwise only the
 * visible digits at the start and at the end are, because only their position is known (docs/spec/http.md, "Matching an
 * account").
 */
export const compareNumbers = (places: string, digits: string): DigitEvidence => {
  if (places.length === digits.length) return tally(places, digits)
  const start = places.indexOf("x")
  if (start === -1) return tallyEnd(places, digits)
  return sum(tally(places.slice(0, start), digits), tallyEnd(places.slice(places.lastIndexOf("x") + 1), digits))
}

/** The prefixes of a phone number's nine digits, the national one first. */
const PHONE_PREFIXES = ["0", "66", "0066", ""]

/**
 * The same for phone numbers: 0XXXXXXXXX, 66XXXXXXXXX and 0066XXXXXXXXX are the same number. A prefix counts as one
 * agreeing digit at most, because every number has one.
 */
export const comparePhones = (places: string, digits: string): DigitEvidence => {
  const subscriber = /^(?:0066|66|0|)(\d{9})$/u.exec(digits)?.[1]
  if (subscriber === undefined) return compareNumbers(places, digits)
  const prefix = PHONE_PREFIXES.find(({ length }) => length + subscriber.length === places.length)
  if (prefix === undefined) return compareNumbers(places, `0${subscriber}`)
  const { agreeing, disagreeing } = tally(places.slice(0, prefix.length), prefix)
  return sum({ agreeing: Math.min(agreeing, 1), disagreeing }, tally(places.slice(prefix.length), subscriber))
}

/** A number on a slip that identifies the receiver. */
export interface ShownNumber {
  /** `ACCOUNT`, or the upstream's name of the kind of a proxy. */
  readonly kind: string
  /** Visible digits, and `x` for each hidden one. */
  readonly places: string
}

/** The kinds of a PromptPay id. */
const PROMPTPAY_IDS: ReadonlyArray<string> = ["MSISDN", "NATID", "EWALLETID"]

/** The kind of a biller's number. */
export const BILLER = "BILLERID"

/** Types of values in the account field that are not account numbers. */
const STAND_INS: ReadonlyArray<string> = ["TOKEN", "DUMMY"]

const kindOf = (type: string): string => type.trim().toUpperCase()

/** The receiver's account, proxy and merchantId, as far as the slip shows them. */
export const shownNumbers = ({ account: { bank, proxy }, merchantId }: Receiver): ReadonlyArray<ShownNumber> => {
  const isAccount = bank !== undefined && !STAND_INS.includes(kindOf(bank.type))
  return [
    ...(isAccount ? [{ kind: "ACCOUNT", places: placesOf(bank.account) }] : []),
    ...(proxy === undefined ? [] : [{ kind: kindOf(proxy.type), places: placesOf(proxy.account) }]),
    ...(merchantId === null ? [] : [{ kind: BILLER, places: placesOf(merchantId) }])
  ].filter(({ places }) => places !== "")
}

/**
 * Whether a number can be the account's. PromptPay ids belong to PROMPTPAY accounts only. A biller's number is compared
 * with an account number only at equal length, because billers' numbers are usually longer.
 */
const isOfKind = ({ kind, places }: ShownNumber, account: ReceivingAccount, mode: string | null): boolean => {
  const { bankCode, bankNumber } = account
  if (bankCode === "PROMPTPAY") return PROMPTPAY_IDS.includes(kind) && (mode === null || kind === mode)
  if (PROMPTPAY_IDS.includes(kind)) return false
  return (kind === BILLER) === (bankCode === "KSHOP") || places.length === bankNumber.length
}

/** Sorts the strongest evidence first: without a disagreement before all others, then with more agreeing digits. */
const byStrength = (one: DigitEvidence, other: DigitEvidence): number =>
  Number(one.disagreeing > 0) - Number(other.disagreeing > 0) || other.agreeing - one.agreeing

/**
 * The strongest evidence of a slip's numbers for an account: a digit that disagrees rules out one number, not the
 * others. `mode` is the kind of id of a PROMPTPAY account. Undefined when the slip has no number of the account's kind.
 */
export const numberEvidence = (
  numbers: ReadonlyArray<ShownNumber>,
  account: ReceivingAccount,
  mode: string | null
): DigitEvidence | undefined =>
  numbers
    .filter((number) => isOfKind(number, account, mode))
    .map(({ kind, places }) => (kind === "MSISDN" ? comparePhones : compareNumbers)(places, account.bankNumber))
    .sort(byStrength)
    .at(0)
