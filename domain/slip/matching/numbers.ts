import type { Receiver } from "../transfer.ts"
import type { ReceivingAccount } from "./receiving-account.ts"

/** How many visible digits of a number on a slip agree with an account's number, and how many do not. */
export interface DigitEvidence {
  readonly agreeing: number
  readonly disagreeing: number
}

/**
 * A number as a slip shows it, ready to be compared: a visible digit stands for itself and `x` for a hidden one, and
 * nothing else is left. Of a text that holds more than these, what is behind the last stranger counts.
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

/** Compares the end of a number. Of what is longer than the other, zeros in front are filling, other digits are not. */
const tallyEnd = (run: string, digits: string): DigitEvidence => {
  const excess = Math.max(0, run.length - digits.length)
  const { agreeing, disagreeing } = tally(run.slice(excess), digits.slice(-run.length))
  return { agreeing, disagreeing: disagreeing + run.slice(0, excess).replaceAll("0", "").length }
}

const sum = (one: DigitEvidence, other: DigitEvidence): DigitEvidence => ({
  agreeing: one.agreeing + other.agreeing,
  disagreeing: one.disagreeing + other.disagreeing
})

/**
 * Compares places with the digits of an account's number: at equal length each with its like, otherwise the visible
 * ones with which they start and end, for only of these it is known where they belong (docs/spec/http.md, "Matching an
 * account").
 */
export const compareNumbers = (places: string, digits: string): DigitEvidence => {
  if (places.length === digits.length) return tally(places, digits)
  const start = places.indexOf("x")
  if (start === -1) return tallyEnd(places, digits)
  return sum(tally(places.slice(0, start), digits), tallyEnd(places.slice(places.lastIndexOf("x") + 1), digits))
}

/** How a telephone number may begin before its nine digits, the national way first. */
const PHONE_PREFIXES = ["0", "66", "0066", ""]

/**
 * The same for telephone numbers, of which 0XXXXXXXXX, 66XXXXXXXXX and 0066XXXXXXXXX are one. However a number begins
 * there, that is one digit of evidence at most: every number begins so.
 */
export const comparePhones = (places: string, digits: string): DigitEvidence => {
  const subscriber = /^(?:0066|66|0|)(\d{9})$/u.exec(digits)?.[1]
  if (subscriber === undefined) return compareNumbers(places, digits)
  const prefix = PHONE_PREFIXES.find(({ length }) => length + subscriber.length === places.length)
  if (prefix === undefined) return compareNumbers(places, `0${subscriber}`)
  const { agreeing, disagreeing } = tally(places.slice(0, prefix.length), prefix)
  return sum({ agreeing: Math.min(agreeing, 1), disagreeing }, tally(places.slice(prefix.length), subscriber))
}

/** One of the numbers by which a slip tells its receiver. */
export interface ShownNumber {
  /** `ACCOUNT`, or the upstream's word for the kind of a proxy. */
  readonly kind: string
  /** Digits, and `x` for each that is hidden. */
  readonly places: string
}

/** The kinds of a PromptPay id. */
const PROMPTPAY_IDS: ReadonlyArray<string> = ["MSISDN", "NATID", "EWALLETID"]

/** The kind of a biller's number. */
const BILLER = "BILLERID"

/** Values of these types stand where an account's number would, and are none. */
const STAND_INS: ReadonlyArray<string> = ["TOKEN", "DUMMY"]

const kindOf = (type: string): string => type.trim().toUpperCase()

/** The receiver's account, proxy and merchantId, those that the slip has. */
export const shownNumbers = ({ account: { bank, proxy }, merchantId }: Receiver): ReadonlyArray<ShownNumber> => {
  const isAccount = bank !== undefined && !STAND_INS.includes(kindOf(bank.type))
  return [
    ...(isAccount ? [{ kind: "ACCOUNT", places: placesOf(bank.account) }] : []),
    ...(proxy === undefined ? [] : [{ kind: kindOf(proxy.type), places: placesOf(proxy.account) }]),
    ...(merchantId === null ? [] : [{ kind: BILLER, places: placesOf(merchantId) }])
  ].filter(({ places }) => places !== "")
}

/**
 * Whether a number is of the kind by which the account is known: the ids of PromptPay belong to PROMPTPAY accounts
 * alone. Billers' numbers are longer than those of accounts, so across these two only equal length makes it likely.
 */
const isOfKind = ({ kind, places }: ShownNumber, account: ReceivingAccount, mode: string | null): boolean => {
  const { bankCode, bankNumber } = account
  if (bankCode === "PROMPTPAY") return PROMPTPAY_IDS.includes(kind) && (mode === null || kind === mode)
  if (PROMPTPAY_IDS.includes(kind)) return false
  return (kind === BILLER) === (bankCode === "KSHOP") || places.length === bankNumber.length
}

/** The evidence that says most for the account: without a disagreement before all others, then with more digits. */
const favourable = (one: DigitEvidence, other: DigitEvidence): number =>
  Number(one.disagreeing > 0) - Number(other.disagreeing > 0) || other.agreeing - one.agreeing

/**
 * What the numbers of a slip say of an account, by the one of them that says most for it: a digit that disagrees rules
 * out one number, and not the others. `mode` is the kind of id that a PROMPTPAY account is compared by. `undefined`
 * when the slip has no number of the account's kind.
 */
export const numberEvidence = (
  numbers: ReadonlyArray<ShownNumber>,
  account: ReceivingAccount,
  mode: string | null
): DigitEvidence | undefined =>
  numbers
    .filter((number) => isOfKind(number, account, mode))
    .map(({ kind, places }) => (kind === "MSISDN" ? comparePhones : compareNumbers)(places, account.bankNumber))
    .sort(favourable)
    .at(0)
