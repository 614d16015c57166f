import { tellIndeterminate, tellMatch, tellNoMatch, tellNone } from "./matching/explain.ts"
import { type Evidence, nameEvidence } from "./matching/names.ts"
import { type DigitEvidence, numberEvidence, type ShownNumber, shownNumbers } from "./matching/numbers.ts"
import type { AccountQuestion, AccountVerdict, Finding, ReceivingAccount } from "./matching/receiving-account.ts"
import type { Receiver } from "./transfer.ts"
import * as reasons from "./matching/reasons.ts"

type Conclusion = Pick<Finding, "verdict" | "because">

const match = (because: string): Conclusion => ({ verdict: "match", because })
const noMatch = (because: string): Conclusion => ({ verdict: "no_match", because })
const indeterminate = (because: string): Conclusion => ({ verdict: "indeterminate", because })

/** So many agreeing digits prove an account. */
const PROOF = 4
/** So many do together with the bank or the name. */
const HALF_PROOF = 3

/** `helps`: what else agrees. */
const byNumber = (number: DigitEvidence, helps: ReadonlyArray<string>): Conclusion => {
  if (number.disagreeing > 0) return noMatch(reasons.disagreement(number))
  if (number.agreeing >= PROOF) return match(reasons.agreement(number))
  const [help] = helps
  return number.agreeing === HALF_PROOF && help !== undefined
    ? match(`${reasons.agreement(number)}, and so does the ${help}`)
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

/** Both have to agree, and either one rules the account out. */
const both = (one: Conclusion, other: Conclusion): Conclusion => {
  if (one.verdict !== "match" && other.verdict !== "no_match") return one
  return one.verdict === "match" && other.verdict === "match" ? match(`${one.because}, and ${other.because}`) : other
}

/**
 * What the slip says of the bank. By a PromptPay id the money may go to any bank, and slips to a K SHOP name the bank
 * that runs it, Kasikornbank, if they name one.
 */
const bankEvidence = ({ bank: { id } }: Receiver, { bankCode }: ReceivingAccount): Evidence => {
  const given = id.trim()
  if (given === "" || bankCode === "PROMPTPAY") return "unclear"
  return given === bankCode || (bankCode === "KSHOP" && given === "004") ? "agrees" : "differs"
}

/** Where the number decides, a name that reads otherwise is still worth a word. */
const shadowName = (conclusion: Conclusion, name: Evidence): Conclusion =>
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
  const ofNumber = (helps: ReadonlyArray<string>) =>
    number === undefined ? indeterminate(reasons.noNumber(numbers)) : byNumber(number, helps)
  const name = nameEvidence(receiver.account.name, account)
  const bankHelps = bank === "agrees" ? ["bank"] : []
  const bothHelp = name === "agrees" ? [...bankHelps, "name"] : bankHelps
  switch (mode) {
    case "NAME":
      return byName(name)
    case "NUMBER":
      return ofNumber(bankHelps)
    case "NAME_NUMBER":
      return both(byName(name), ofNumber(bothHelp))
    default:
      return shadowName(ofNumber(bothHelp), name)
  }
}

/**
 * Compares the receiver of a slip with an account. `mode` is a value of `extraVerify`: how an account of a bank that
 * has a choice is compared, and by which kind of id one of PROMPTPAY is known.
 */
export const compareAccount = (receiver: Receiver, account: ReceivingAccount, mode: string | null): Finding => {
  const numbers = shownNumbers(receiver)
  const number = numberEvidence(numbers, account, mode)
  const digits = number === undefined ? 0 : number.disagreeing > 0 ? -1 : number.agreeing
  return { account, digits, ...conclude(receiver, account, mode, numbers, number) }
}

export type { AccountQuestion, AccountVerdict, ReceivingAccount } from "./matching/receiving-account.ts"

/** What came of comparing the receiver of a slip with a branch's accounts. */
export interface AccountMatch {
  readonly verdict: AccountVerdict
  /** Id of the account that matched; null otherwise. */
  readonly accountId: string | null
  /** Several accounts matched equally well; the one that was linked first was taken. */
  readonly isAmbiguous: boolean
  /** What was compared and what came of it, in words a merchant can act on. */
  readonly reasons: ReadonlyArray<string>
}

/**
 * Whether an account is compared at all. PromptPay's ids are of several kinds, and an account that is known by one of
 * them can't be compared as another.
 */
const isAsked = (account: ReceivingAccount, { bankCode, extraVerify }: AccountQuestion): boolean => {
  if (bankCode !== undefined && account.bankCode !== bankCode) return false
  if (account.bankCode !== "PROMPTPAY" || account.extraVerify === null) return true
  return extraVerify === undefined || account.extraVerify === extraVerify
}

const withoutMatch = (findings: ReadonlyArray<Finding>): AccountMatch =>
  findings.some(({ verdict }) => verdict === "indeterminate")
    ? { verdict: "indeterminate", accountId: null, isAmbiguous: false, reasons: tellIndeterminate(findings) }
    : { verdict: "no_match", accountId: null, isAmbiguous: false, reasons: tellNoMatch(findings) }

/**
 * Compares the receiver of a slip with a branch's active accounts, which come in the order in which they were linked
 * (docs/spec/http.md, "Matching an account"). Of several that match, the one is taken whose number agrees in most
 * visible digits, then the one that was linked first.
 */
export const matchAccounts = (
  receiver: Receiver,
  accounts: ReadonlyArray<ReceivingAccount>,
  question: AccountQuestion
): AccountMatch => {
  const asked = accounts.filter((account) => isAsked(account, question))
  if (asked.length === 0) {
    return { verdict: "no_match", accountId: null, isAmbiguous: false, reasons: tellNone(question) }
  }
  const findings = asked.map((account) =>
    compareAccount(receiver, account, question.extraVerify ?? account.extraVerify)
  )
  const matching = findings.filter(({ verdict }) => verdict === "match")
  const most = Math.max(...matching.map(({ digits }) => digits))
  const best = matching.filter(({ digits }) => digits === most)
  const [taken] = best
  if (taken === undefined) return withoutMatch(findings)
  const { account: { id: accountId } } = taken
  return { verdict: "match", accountId, isAmbiguous: best.length > 1, reasons: tellMatch(taken, best.length) }
}
