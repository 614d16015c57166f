import { explainIndeterminate, explainMatch, explainNoAccount, explainNoMatch } from "./matching/explain.ts"
import { type Evidence, nameEvidence } from "./matching/names.ts"
import { type DigitEvidence, numberEvidence, type ShownNumber, shownNumbers } from "./matching/numbers.ts"
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

const conclude = (
  receiver: Receiver,
  account: ReceivingAccount,
  mode: string | null,
  numbers: ReadonlyArray<ShownNumber>,
  number: DigitEvidence | undefined
): Conclusion => {
  const bank = bankEvidence(receiver, account)
  if (bank === "differs") return noMatch(reasons.otherBank(receiver))
  if (account.bankCode === "PROMPTPAY" && number === undefined && numbers.length > 0) {
    return noMatch(reasons.otherId(mode, numbers))
  }
  const ofNumber = (supports: ReadonlyArray<string>) =>
    number === undefined ? indeterminate(reasons.noNumber(numbers)) : byNumber(number, supports)
  const name = nameEvidence(receiver.account.name, account)
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

/**
 * Compares the receiver of a slip with an account. `mode` is a value of `extraVerify`: the way to compare, for a bank
 * that has several ways, or the kind of id of a PROMPTPAY account.
 */
export const compareAccount = (receiver: Receiver, account: ReceivingAccount, mode: string | null): Finding => {
  const numbers = shownNumbers(receiver)
  const number = numberEvidence(numbers, account, mode)
  const digits = number === undefined ? 0 : number.disagreeing > 0 ? -1 : number.agreeing
  return { account, digits, ...conclude(receiver, account, mode, numbers, number) }
}

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
  receiver: Receiver,
  accounts: ReadonlyArray<ReceivingAccount>,
  question: AccountQuestion
): AccountMatch => {
  const included = accounts.filter((account) => isIncluded(account, question))
  if (included.length === 0) {
    return { verdict: "no_match", accountId: null, isAmbiguous: false, reasons: explainNoAccount(question) }
  }
  const findings = included.map((account) =>
    compareAccount(receiver, account, question.extraVerify ?? account.extraVerify)
  )
  const matching = findings.filter(({ verdict }) => verdict === "match")
  const most = Math.max(...matching.map(({ digits }) => digits))
  const best = matching.filter(({ digits }) => digits === most)
  const [chosen] = best
  if (chosen === undefined) return withoutMatch(findings)
  const { account: { id: accountId } } = chosen
  return { verdict: "match", accountId, isAmbiguous: best.length > 1, reasons: explainMatch(chosen, best.length) }
}
