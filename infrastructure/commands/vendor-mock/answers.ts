import { Clock, Effect } from "effect"
import { transactionIdOf } from "../../../domain/slip/wallet-payload.ts"
import { SlipReader } from "../../../ports/slip-reader.ts"
import type { VendorAccount } from "./account.ts"
import type { Dialect, Question, Refusal, Reply, SentSlip, VendorRequest } from "./dialect.ts"
import { type Answer, type Fault, flawOf, refusalOf, textOf } from "./faults.ts"
import type { KnownSlips } from "./known-slips.ts"
import type { Plan } from "./plan.ts"
import type { Vendor } from "./vendors.ts"

/** One vendor. */
export interface VendorParts {
  plan: Plan
  readonly account: VendorAccount
  readonly slips: KnownSlips
}

/** What a vendor answers, with the facts for the log. */
export interface Statement {
  /** `found`, a refusal, `quota`, or `fixed` for an answer that was given. */
  readonly said: string
  /** The sending bank and the transRef; empty when they are unknown. */
  readonly reference: string
  readonly answer: Answer
}

/** A request, its vendor and the fault that it meets. */
export interface Asked {
  readonly dialect: Dialect
  readonly vendor: VendorParts
  readonly request: VendorRequest
  readonly fault: Fault
}

type SlipQuestion = Extract<Question, { readonly slip: SentSlip }>

const toAnswer = ({ body, status }: Reply, { delayMillis }: Plan, changes: Partial<Answer> = {}): Answer => ({
  status,
  text: textOf({ body, status }),
  delivery: "whole",
  delayMillis,
  ...changes,
  headers: {
    "content-type": `${typeof body === "string" ? "text/html" : "application/json"}; charset=utf-8`,
    ...changes.headers
  }
})

const sayFixed = (given: NonNullable<Plan["answer"]>, { delayMillis }: Plan): Statement => ({
  said: "fixed",
  reference: "",
  answer: { status: given.status, headers: given.headers, text: given.body, delivery: "whole", delayMillis }
})

const refuse = (
  { dialect, vendor: { plan } }: Asked,
  refusal: Refusal,
  { payload, reference }: { readonly payload: string; readonly reference: string } = { payload: "", reference: "" }
): Statement => {
  const headers = refusal === "rate-limit" ? { "retry-after": String(plan.retryAfterSeconds) } : {}
  return { said: refusal, reference, answer: toAnswer(dialect.refuse(refusal, payload), plan, { headers }) }
}

/** A refusal of the whole account, whatever was asked. */
const accountRefusal = ({ dialect, fault, request }: Asked): Refusal | undefined => {
  const refusal = refusalOf(fault)
  const isOfSlip = refusal === "not-found" || refusal === "pending" || refusal === "bank-down"
  return dialect.checkCredentials(request) ?? (isOfSlip ? undefined : refusal)
}

/** Answers a question about the quota, or a request that the dialect does not have. */
export const answerOther = (asked: Asked, isQuota: boolean): Statement => {
  const { dialect: { quota }, vendor: { account, plan } } = asked
  if (isQuota && plan.quotaAnswer !== null) return sayFixed(plan.quotaAnswer, plan)
  const refusal = accountRefusal(asked)
  if (refusal !== undefined) return refuse(asked, refusal)
  if (!isQuota || quota === undefined) return refuse(asked, "no-such-path")
  return { said: "quota", reference: "", answer: toAnswer(quota(account.state()), plan) }
}

/** The QR text of a slip; undefined without one. */
const qrTextOf = Effect.fnUntraced(function* ({ picture, text }: SentSlip, vendor: Vendor) {
  if (text !== undefined || picture === undefined) return text
  const reading = yield* Effect.option(SlipReader.use((reader) => reader.read(picture, vendor)))
  return reading._tag === "None" ? undefined : reading.value.slips[0]?.text ?? reading.value.texts[0]
})

/** Answers a question about a slip, and charges for it. */
export const answerSlip = Effect.fnUntraced(function* (asked: Asked, question: SlipQuestion) {
  const { dialect, vendor: { account, plan } } = asked
  if (plan.answer !== null) return sayFixed(plan.answer, plan)
  const refusal = accountRefusal(asked) ?? (account.isExhausted() ? "quota-exhausted" : undefined)
  if (refusal !== undefined) return refuse(asked, refusal)
  const text = yield* qrTextOf(question.slip, dialect.vendor)
  return answerFrom(asked, question, text ?? "", yield* Clock.currentTimeMillis)
})

const answerFrom = (asked: Asked, question: SlipQuestion, text: string, now: number): Statement => {
  const { dialect, fault, vendor: { account, plan, slips } } = asked
  const slip = slips(text, now)
  const find = question._tag === "WalletSlip" ? dialect.foundWallet : dialect.found
  if (slip.isWallet !== (question._tag === "WalletSlip") || find === undefined) {
    return refuse(asked, text === "" ? "invalid" : "not-found", slip)
  }
  const { knowledge, payload, reference } = slip
  const refusal = refusalOf(fault) ?? (knowledge._tag === "Refused" ? knowledge.refusal : undefined)
  if (refusal === "not-found" || (refusal === "pending" && !dialect.saysPending)) {
    account.chargeNotFound(reference)
    return refuse(asked, "not-found", slip)
  }
  if (refusal !== undefined) return refuse(asked, refusal, slip)
  if (knowledge._tag === "Refused") return refuse(asked, knowledge.refusal, slip)
  const { transfer } = knowledge
  const charge = account.chargeFound(reference, question.isRepeatFree)
  const reply = find({ transfer, payload, ...charge }, account.state())
  const flaw = flawOf(fault) ?? (knowledge.hasAmount ? undefined : "no-amount")
  const changes = {
    text: textOf(reply, flaw, slip.isWallet ? transactionIdOf(transfer.transRef) : transfer.transRef),
    delayMillis: plan.delayMillis + knowledge.delayMillis
  }
  return { said: "found", reference, answer: toAnswer(reply, plan, changes) }
}
