import { isSharedBiller } from "../bank-account/k-shop.ts"
import { explainIndeterminate, explainMatch, explainNoAccount, explainNoMatch } from "./matching/explain.ts"
import {
  isMerchant,
  type MerchantEvidence,
  merchantEvidence,
  numbersFor,
  type Payment,
  showsBiller,
  showsSharedBiller,
  tellingNumbers
} from "./matching/merchants.ts"
import { type Evidence, nameEvidence } from "./matching/names.ts"
import { type DigitEvidence, numberEvidence, type ShownNumber } from "./matching/numbers.ts"
import type { AccountQuestion, AccountVerdict, Finding, ReceivingAccount } from "./matching/receiving-account.ts"
import type { Receiver } from "./transfer.ts"
import * as reasons from "./matching/reasons.ts"

type Conclusion = Pick<Finding, "verdict" | "because">

const match = (because: string): Conclusion => ({ verdict: "match", because })
const noMatch = (because: string): Conclusion => ({ verdict: "no_match", because })
const indeterminate = (because: string): Conclusion => ({ verdict: "indeterminate", because })

/** Agreeing digits that prove an account. */
const PROVING_DIGITS = 4
/** Agreeing digits that prove an account together with the bank or the name. */
const PROVING_DIGITS_WITH_SUPPORT = 3

/** `supports`: other properties that agree, the bank or the name. */
const byNumber = (number: DigitEvidence, supports: ReadonlyArray<string>): Conclusion => {
  if (number.disagreeing > 0) return noMatch(reasons.disagreement(number))
  if (number.agreeing >= PROVING_DIGITS) return match(reasons.agreement(number))
  const [support] = supports
  return number.agreeing === PROVING_DIGITS_WITH_SUPPORT && support !== undefined
    ? match(`${reasons.agreement(number)}, and so does the ${support}`)
    : indeterminate(reasons.tooFew(number))
}

/** `isConfirmed`: the biller or the name agrees as well. */
const byMerchant = ({ evidence, isIssued }: MerchantEvidence, isConfirmed: boolean): Conclusion => {
  if (evidence === "differs") return noMatch(reasons.MERCHANT_DIFFERS)
  if (evidence === "unclear") return indeterminate(reasons.NO_REFERENCE)
  return isIssued || isConfirmed ? match(reasons.MERCHANT_AGREES) : indeterminate(reasons.REFERENCE_ALONE)
}

const byName = (name: Evidence): Conclusion => {
  switch (name) {
    case "agrees":
      return match(reasons.NAME_AGREES)
    case "differs":
      return noMatch(reasons.NAME_DIFFERS)
    case "unclear":
      return indeterminate(reasons.NAME_UNCLEAR)
  }
}

/** Two matches are a match; one `no_match` is enough for `no_match`. */
const combine = (one: Conclusion, other: Conclusion): Conclusion => {
  if (one.verdict !== "match" && other.verdict !== "no_match") return one
  return one.verdict === "match" && other.verdict === "match" ? match(`${one.because}, and ${other.because}`) : other
}

/**
 * Compares the bank of the receiver. A PromptPay id can belong to any bank, so its bank is not compared. Slips to a
 * K SHOP name Kasikornbank, which runs it, or no bank.
 */
const bankEvidence = ({ bank: { id } }: Receiver, { bankCode }: ReceivingAccount): Evidence => {
  const shownId = id.trim()
  if (shownId === "" || bankCode === "PROMPTPAY") return "unclear"
  return shownId === bankCode || (bankCode === "KSHOP" && shownId === "004") ? "agrees" : "differs"
}

/** Adds a note about a different name where the number decides. */
const noteOtherName = (conclusion: Conclusion, name: Evidence): Conclusion =>
  name === "differs" && conclusion.verdict !== "no_match"
    ? { ...conclusion, because: `${conclusion.because}; ${reasons.NAME_DIFFERS}` }
    : conclusion

/** What a slip shows of an account, before a mode decides. */
interface Shown {
  readonly numbers: ReadonlyArray<ShownNumber>
  /** The evidence of the numbers that can be the account's; undefined when there are none. */
  readonly number: DigitEvidence | undefined
  readonly merchant: MerchantEvidence
  readonly name: Evidence
}

const shownOf = (payment: Payment, account: ReceivingAccount, mode: string | null): Shown => {
  const numbers = numbersFor(payment, account)
  return {
    numbers,
    number: numberEvidence(tellingNumbers(numbers, account), account, mode),
    merchant: merchantEvidence(payment, account),
    name: nameEvidence(payment.receiver.account.name, account)
  }
}

/** Compares the numbers. A biller that several merchants have never proves one of them. */
const byNumbers = (
  { merchant, name, number, numbers }: Shown,
  account: ReceivingAccount,
  supports: ReadonlyArray<string>
): Conclusion => {
  if (number !== undefined && number.disagreeing > 0) return byNumber(number, supports)
  if (isMerchant(account) || merchant.evidence !== "unclear") {
    return byMerchant(merchant, showsBiller(numbers, account) || name === "agrees")
  }
  if (number !== undefined) return byNumber(number, supports)
  if (!showsSharedBiller(numbers, account)) return indeterminate(reasons.noNumber(numbers))
  return indeterminate(isSharedBiller(account.bankNumber) ? reasons.SHARED_BILLER : reasons.NO_REFERENCE)
}

const conclude = (receiver: Receiver, account: ReceivingAccount, mode: string | null, shown: Shown): Conclusion => {
  const { name, number, numbers } = shown
  const bank = bankEvidence(receiver, account)
  if (bank === "differs") return noMatch(reasons.otherBank(receiver))
  if (account.bankCode === "PROMPTPAY" && number === undefined && numbers.length > 0) {
    return noMatch(reasons.otherId(mode, numbers))
  }
  const ofNumber = (supports: ReadonlyArray<string>) => byNumbers(shown, account, supports)
  const bankSupport = bank === "agrees" ? ["bank"] : []
  const allSupport = name === "agrees" ? [...bankSupport, "name"] : bankSupport
  switch (mode) {
    case "NAME":
      return byName(name)
    case "NUMBER":
      return ofNumber(bankSupport)
    case "NAME_NUMBER":
      return combine(byName(name), ofNumber(allSupport))
    default:
      return noteOtherName(ofNumber(allSupport), name)
  }
}

/** Agreeing digits, to choose between accounts that match. A merchant's id is at least as long as a biller's. */
const digitsOf = ({ merchant, number }: Shown): number => {
  if (number !== undefined && number.disagreeing > 0) return -1
  return merchant.evidence === "agrees" ? MERCHANT_DIGITS : number?.agreeing ?? 0
}

const MERCHANT_DIGITS = 15

/**
 * Compares the receiver of a slip with an account. `mode` is a value of `extraVerify`: the way to compare, for a bank
 * that has several ways, or the kind of id of a PROMPTPAY account.
 */
export const compareAccount = (payment: Payment, account: ReceivingAccount, mode: string | null): Finding => {
  const shown = shownOf(payment, account, mode)
  return { account, digits: digitsOf(shown), ...conclude(payment.receiver, account, mode, shown) }
}

export type { Payment } from "./matching/merchants.ts"
export type { AccountQuestion, AccountVerdict, ReceivingAccount } from "./matching/receiving-account.ts"

/** The result of comparing the receiver of a slip with a branch's accounts. */
export interface AccountMatch {
  readonly verdict: AccountVerdict
  /** Id of the account that matched; null otherwise. */
  readonly accountId: string | null
  /** Several accounts matched equally well; the one that was linked first was chosen. */
  readonly isAmbiguous: boolean
  /** What was compared, with which result, in sentences for a merchant. */
  readonly reasons: ReadonlyArray<string>
}

/**
 * Whether the question includes an account. A PROMPTPAY account has one kind of id and cannot be compared as another
 * kind.
 */
const isIncluded = (account: ReceivingAccount, { bankCode, extraVerify }: AccountQuestion): boolean => {
  if (bankCode !== undefined && account.bankCode !== bankCode) return false
  if (account.bankCode !== "PROMPTPAY" || account.extraVerify === null) return true
  return extraVerify === undefined || account.extraVerify === extraVerify
}

const withoutMatch = (findings: ReadonlyArray<Finding>): AccountMatch =>
  findings.some(({ verdict }) => verdict === "indeterminate")
    ? { verdict: "indeterminate", accountId: null, isAmbiguous: false, reasons: explainIndeterminate(findings) }
    : { verdict: "no_match", accountId: null, isAmbiguous: false, reasons: explainNoMatch(findings) }

/**
 * Compares the receiver of a slip with a branch's active accounts, in the order in which they were linked
 * (docs/spec/http.md, "Matching an account"). Of several matches, the account with the most agreeing digits is chosen,
 * then the one that was linked first.
 */
export const matchAccounts = (
  payment: Payment,
  accounts: ReadonlyArray<ReceivingAccount>,
  question: AccountQuestion
): AccountMatch => {
  const included = accounts.filter((account) => isIncluded(account, question))
  if (included.length === 0) {
    return { verdict: "no_match", accountId: null, isAmbiguous: false, reasons: explainNoAccount(question) }
  }
  const findings = included.map((account) =>
    compareAccount(payment, account, question.extraVerify ?? account.extraVerify)
  )
  const matching = findings.filter(({ verdict }) => verdict === "match")
  const most = Math.max(...matching.map(({ digits }) => digits))
  const best = matching.filter(({ digits }) => digits === most)
  const [chosen] = best
  if (chosen === undefined) return withoutMatch(findings)
  const { account: { id: accountId } } = chosen
  return { verdict: "match", accountId, isAmbiguous: best.length > 1, reasons: explainMatch(chosen, best.length) }
}
