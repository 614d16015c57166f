import { Effect } from "effect"
import { banks } from "../../domain/bank.ts"
import type { EndCode } from "../../domain/failed-verification.ts"
import { isWalletTransRef, TRUEMONEY, walletTransRef } from "../../domain/slip/wallet-payload.ts"
import {
  isDuplicateClass,
  isSuccessClass,
  parseEntry,
  shortOf,
  type VerificationClass,
  verificationClasses
} from "../../projections/models/verifications.ts"
import { slipDigest } from "../sealing/sealed-data.ts"

/** A slip by its reference. Without a sending bank, that of any bank and of TrueMoney. */
export interface SlipReference {
  readonly sendingBank: string | undefined
  /** For a TrueMoney slip, the transaction id. */
  readonly reference: string
}

/** The filters of a list of verifications. An absent filter lets all pass. */
export interface VerificationFilter {
  readonly outcome?: "verified" | "duplicate" | "failed" | EndCode | undefined
  /** Verifications without a slip are neither. */
  readonly isDuplicate?: boolean | undefined
  /** Verifications without conditions are neither. */
  readonly accepted?: boolean | undefined
  /** In satang, both inclusive. */
  readonly minAmount?: number | undefined
  readonly maxAmount?: number | undefined
  readonly remark?: string | undefined
  readonly reference?: SlipReference | undefined
  /** Id of the bank account that matched. */
  readonly bankAccount?: string | undefined
}

/** The filters of a list of one branch. */
export interface BranchVerificationFilter extends VerificationFilter {
  /** The last six characters of a reference, in any case. */
  readonly referenceEnd?: string | undefined
}

export const acceptanceOf = (verificationClass: VerificationClass): boolean | null => {
  if (!isSuccessClass(verificationClass)) return null
  if (verificationClass.endsWith("+")) return true
  return verificationClass.endsWith("-") ? false : null
}

export const duplicateOf = (verificationClass: VerificationClass): boolean | null =>
  isSuccessClass(verificationClass) ? isDuplicateClass(verificationClass) : null

/** `verified`, `duplicate`, or the code of the failure. */
export type Outcome = EndCode | "verified" | "duplicate"

export const outcomeOf = (verificationClass: VerificationClass): Outcome => {
  if (!isSuccessClass(verificationClass)) return verificationClass
  return isDuplicateClass(verificationClass) ? "duplicate" : "verified"
}

const hasOutcome = (verificationClass: VerificationClass, outcome: VerificationFilter["outcome"]): boolean =>
  outcome === undefined || outcomeOf(verificationClass) === outcome
  || (outcome === "failed" && !isSuccessClass(verificationClass))

/** The classes that pass a filter. */
export const classesOf = (filter: VerificationFilter): ReadonlyArray<VerificationClass> => {
  const { accepted, bankAccount, isDuplicate, maxAmount, minAmount, outcome } = filter
  const isOfSlip = minAmount !== undefined || maxAmount !== undefined || bankAccount !== undefined
  return verificationClasses.filter((each) =>
    hasOutcome(each, outcome)
    && (isDuplicate === undefined || duplicateOf(each) === isDuplicate)
    && (accepted === undefined || acceptanceOf(each) === accepted)
    && (!isOfSlip || isSuccessClass(each))
  )
}

export const isWithin = (amount: number, { maxAmount = Infinity, minAmount = 0 }: VerificationFilter): boolean =>
  minAmount <= amount && amount <= maxAmount

/**
 * Whether a member passes the filters that its class does not decide; undefined when all pass. An unknown amount passes
 * for now. `remarkOf` returns the digest of the filter's remark in the branch of a member.
 */
export const passesOf = (
  filter: BranchVerificationFilter,
  classes: ReadonlyArray<string>,
  remarkOf: (member: string) => string | undefined
): ((member: string) => boolean) | undefined => {
  const { bankAccount, maxAmount, minAmount, reference, referenceEnd, remark } = filter
  const hasAmounts = minAmount !== undefined || maxAmount !== undefined
  const account = bankAccount === undefined ? undefined : shortOf(bankAccount)
  const isOfSlips = reference !== undefined || referenceEnd !== undefined
  if (!hasAmounts && account === undefined && remark === undefined && !isOfSlips) return undefined
  const isChosen = new Set(classes)
  return (member) => {
    const entry = parseEntry(member)
    return isChosen.has(entry.verificationClass)
      && (!hasAmounts || entry.amount === "unknown" || (entry.amount !== null && isWithin(entry.amount, filter)))
      && (account === undefined || entry.account === account)
      && (remark === undefined || (entry.remark !== undefined && entry.remark === shortOf(remarkOf(member) ?? "")))
  }
}

/** The slips that a reference can mean, as bank and transRef. One of TrueMoney is its transaction id, or its transRef. */
export const slipsNamed = ({ reference, sendingBank }: SlipReference): ReadonlyArray<readonly [string, string]> => {
  const transRefs = isWalletTransRef(reference) ? [walletTransRef(reference), reference] : [walletTransRef(reference)]
  const ofWallet = transRefs.map((transRef) => [TRUEMONEY, transRef] as const)
  if (sendingBank !== undefined) return sendingBank === TRUEMONEY ? ofWallet : [[sendingBank, reference]]
  return [...banks.map(({ code }) => [code, reference] as const), ...ofWallet]
}

/** The digests of the slips that a reference can mean. */
export const digestsNamed = (reference: SlipReference) =>
  Effect.forEach(slipsNamed(reference), (slip) => slipDigest(...slip))
