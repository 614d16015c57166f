import type { Receiver } from "../transfer.ts"
import { compareNumbers, comparePhones, type DigitEvidence, placesOf } from "./numbers.ts"
import type { ReceivingAccount } from "./receiving-account.ts"

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
