import { isSharedBiller, kShopBillers, kShopNumber } from "../../bank-account/k-shop.ts"
import type { Transfer } from "../transfer.ts"
import type { Evidence } from "./names.ts"
import { BILLER, compareNumbers, type ShownNumber, shownNumbers } from "./numbers.ts"
import type { ReceivingAccount } from "./receiving-account.ts"

/**
 * Several merchants can have one biller id. A merchant is identified by the merchantId of the bank, or by the reference
 * of the merchant's QR code (docs/spec/http.md, "Matching an account").
 */

/** The fields of a transfer that say to whom it was paid. */
export type Payment = Pick<Transfer, "receiver" | "ref1" | "ref2">

/** A biller id: a tax id of 13 digits and a suffix. */
const BILLER_LENGTH = 15
/** Visible digits that show the biller. */
const SHOWING_DIGITS = 4
/** Some sending banks cut longer references. */
const CUT_LENGTH = 20

/** Whether the account is one merchant among several of its biller. */
export const isMerchant = ({ merchantId, ref1 }: ReceivingAccount): boolean => (merchantId ?? ref1) !== undefined

const mayBe = ({ places }: ShownNumber, biller: string): boolean => compareNumbers(places, biller).disagreeing === 0

const isOfKShop = ({ bankCode, bankNumber }: ReceivingAccount): boolean =>
  bankCode === "KSHOP" || isSharedBiller(bankNumber)

const mayBeShared = (number: ShownNumber, account: ReceivingAccount): boolean => {
  const canBeBiller = number.kind === BILLER || (number.kind === "ACCOUNT" && isOfKShop(account))
  return canBeBiller && kShopBillers.some((biller) => mayBe(number, biller))
}

/** A shared number cannot prove a merchant. It rules out a biller with another number. */
const isTelling = (number: ShownNumber, account: ReceivingAccount): boolean => {
  const { bankNumber } = account
  if (!mayBeShared(number, account)) return true
  return bankNumber.length === BILLER_LENGTH && !isSharedBiller(bankNumber) && !mayBe(number, bankNumber)
}

/** The numbers of a slip that can prove or rule out the account. */
export const tellingNumbers = (
  numbers: ReadonlyArray<ShownNumber>,
  account: ReceivingAccount
): ReadonlyArray<ShownNumber> => numbers.filter((number) => isTelling(number, account))

/** The numbers that a slip shows, without a merchantId that cannot be the biller id of the account. */
export const numbersFor = ({ receiver }: Payment, account: ReceivingAccount): ReadonlyArray<ShownNumber> => {
  const hasBillerId = isMerchant(account) || isSharedBiller(account.bankNumber)
  const isOther = hasBillerId && !isBillerNumber(normalize(receiver.merchantId))
  return shownNumbers(isOther ? { ...receiver, merchantId: null } : receiver)
}

/** Whether a slip shows the biller of K SHOP, and the account is a shop of it. */
export const showsSharedBiller = (numbers: ReadonlyArray<ShownNumber>, account: ReceivingAccount): boolean =>
  isOfKShop(account) && numbers.some((number) => mayBeShared(number, account))

/** Whether a slip shows enough of the account's biller. The billers of K SHOP count as one. */
export const showsBiller = (numbers: ReadonlyArray<ShownNumber>, account: ReceivingAccount): boolean => {
  const billers = [account.bankNumber, ...(isOfKShop(account) ? kShopBillers : [])]
  return numbers.some(({ kind, places }) =>
    (kind === BILLER || kind === "ACCOUNT") && billers.map((biller) => compareNumbers(places, biller))
      .some(({ agreeing, disagreeing }) => disagreeing === 0 && agreeing >= SHOWING_DIGITS)
  )
}

const normalize = (text: string | null | undefined): string => (text ?? "").replaceAll(/[\s\p{Pd}]/gu, "").toUpperCase()

/** A hidden, empty or missing text says nothing. */
const isShown = (text: string): boolean => text !== "" && !/[*•]|X{3}/u.test(text)

const isBillerNumber = (text: string): boolean => /^\d{15}$/u.test(text)

interface Pair {
  readonly shown: string
  readonly registered: string
}

const pairOf = (shown: string | null, registered: string | null | undefined): ReadonlyArray<Pair> => {
  const pair = { shown: normalize(shown), registered: normalize(registered) }
  const isComparable = isShown(pair.shown) && pair.registered !== ""
    // Some banks give the biller id as merchantId.
    && isBillerNumber(pair.shown) === isBillerNumber(pair.registered)
  return isComparable ? [pair] : []
}

const isSame = ({ registered, shown }: Pair): boolean =>
  shown === registered || (shown.length === CUT_LENGTH && registered.startsWith(shown))

const kShopNumbers = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.flatMap((text) => kShopNumber(text) ?? [])

/** The numbers of a K SHOP account, which may be registered with the 12 digits alone. */
const ownKShopNumbers = ({ bankNumber, merchantId, ref1 }: ReceivingAccount): ReadonlyArray<string> =>
  kShopNumbers([merchantId ?? "", ref1 ?? "", `KB${bankNumber}`])

/** What a slip says of the merchant. */
export interface MerchantEvidence {
  readonly evidence: Evidence
  /** Whether it comes from the bank. A payer can write any reference. */
  readonly isIssued: boolean
}

/** Compares the merchant's ids of a slip with those of an account. `unclear`: one of them has none. */
export const merchantEvidence = (
  { receiver: { merchantId }, ref1, ref2 }: Payment,
  account: ReceivingAccount
): MerchantEvidence => {
  if (account.bankCode === "KSHOP") {
    const own = ownKShopNumbers(account)
    const shown = kShopNumbers([merchantId ?? "", ref1, ref2])
    if (own.length > 0 && shown.length > 0) {
      const agrees = shown.every((number) => own.includes(number))
      return { evidence: agrees ? "agrees" : "differs", isIssued: kShopNumber(merchantId ?? "") !== undefined }
    }
  }
  const issued = pairOf(merchantId, account.merchantId)
  const pairs = [...issued, ...pairOf(ref1, account.ref1)]
  if (pairs.length === 0) return { evidence: "unclear", isIssued: false }
  return { evidence: pairs.every(isSame) ? "agrees" : "differs", isIssued: issued.length > 0 }
}
