import type { EarlierOutcome } from "../../../domain/slip/gateway-reply.ts"
import { isBeyond, type SlipAge, windowLeft } from "../../../domain/slip/transfer-time.ts"
import type { GatewayAnswer, Unavailable } from "../../../ports/bank-gateway.ts"
import type { GatewayTraits } from "./upstream/gateway.ts"

/** One gateway's answer about a slip. */
export interface Statement {
  readonly gateway: string
  readonly traits: GatewayTraits
  readonly answer: GatewayAnswer
}

/** A slip, and how old it may be; undefined when its reference says nothing about it. */
export interface AgedSlip {
  readonly sendingBank: string
  readonly age: SlipAge | undefined
}

/** How long after an uncertain `NotFound` the same gateway must repeat it to be believed, in milliseconds. */
export const CONFIRM_MILLIS = 60_000

/**
 * The answer that the statements so far give; undefined when the next gateway must be asked. `statements` is in the
 * order of asking (docs/banks.md, "What is believed").
 */
export const decide = (statements: ReadonlyArray<Statement>, slip: AgedSlip): GatewayAnswer | undefined => {
  const last = statements.at(-1)
  if (last === undefined) return undefined
  switch (last.answer._tag) {
    case "Found":
    case "Pending":
      return last.answer
    case "NotFound":
      return isCertain(last, slip) || isSecondVoice(statements, slip) ? agreed(statements) : undefined
    default:
      return undefined
  }
}

/**
 * The answer when no gateway is left. `isRepeated` says whether one of the uncertain gateways said the same at least
 * `CONFIRM_MILLIS` ago. Needs at least one statement.
 */
export const decideAtEnd = (
  statements: ReadonlyArray<Statement>,
  slip: AgedSlip,
  isRepeated: boolean
): GatewayAnswer => {
  const denials = statements.filter(({ answer }) => answer._tag === "NotFound")
  if (denials.length === 0) return withShortestRetry(statements)
  const leftMillis = Math.max(...denials.map(({ traits }) => windowOf(traits, slip)))
  if (leftMillis > 0) return { _tag: "Pending", retryAfterSeconds: Math.ceil(leftMillis / 1_000) }
  if (denials.length === statements.length && denials.every(({ traits }) => isTooOld(traits, slip))) {
    return { _tag: "NotFound", isTooOld: true }
  }
  if (isRepeated) return agreed(statements)
  const names = namesOf(denials)
  return {
    _tag: "Unavailable",
    why: `${names} does not know the slip, but can be wrong, and no other gateway confirms it. Ask again in a minute`,
    retryAfterSeconds: CONFIRM_MILLIS / 1_000,
    concerns: "slip"
  }
}

/** The outcome of a statement that did not decide the answer, and why; undefined for one that always decides. */
export const describeStatement = (
  { answer, gateway }: Statement
): { readonly outcome: EarlierOutcome; readonly why: string } | undefined => {
  switch (answer._tag) {
    case "NotFound":
      return { outcome: "not-found", why: `${gateway} does not know the slip, but can be wrong` }
    case "NotAuthorised":
      return { outcome: "not-authorised", why: answer.why }
    case "QuotaExhausted":
      return { outcome: "quota-exhausted", why: answer.why }
    case "Unavailable":
      return { outcome: "unavailable", why: answer.why }
    default:
      return undefined
  }
}

/** Whether the gateway must know the slip. Without a hint of its age, it counts as one that the gateway must know. */
const isWithin = (traits: GatewayTraits, { age, sendingBank }: AgedSlip): boolean => {
  const windowMillis = traits.windowMillis(sendingBank)
  if (age === undefined || isBeyond(windowMillis, age)) return true
  return age.youngest > windowMillis && !(age.isCompared && age.oldest > traits.recordMillis(sendingBank))
}

const isTooOld = (traits: GatewayTraits, { age, sendingBank }: AgedSlip): boolean =>
  age !== undefined && age.isCompared && age.youngest > traits.recordMillis(sendingBank)

const windowOf = (traits: GatewayTraits, { age, sendingBank }: AgedSlip): number =>
  windowLeft(traits.windowMillis(sendingBank), age)

/** Whether a `NotFound` needs no second voice. */
const isCertain = ({ answer, traits }: Statement, slip: AgedSlip): boolean =>
  answer._tag === "NotFound" && answer.isWeak !== true && isWithin(traits, slip)

/** Whether the last `NotFound` confirms an earlier one of another family. Both must be able to know the slip. */
const isSecondVoice = (statements: ReadonlyArray<Statement>, slip: AgedSlip): boolean => {
  const last = statements.at(-1)
  return last !== undefined && isWithin(last.traits, slip)
    && statements.some(({ answer, traits }) =>
      answer._tag === "NotFound" && traits.family !== last.traits.family && isWithin(traits, slip)
    )
}

/**
 * `NotFound`, unless a gateway gave no answer that might know the slip. Only a gateway that knows all slips speaks for
 * the others: an outage must not make a real slip look fake.
 */
const agreed = (statements: ReadonlyArray<Statement>): GatewayAnswer => {
  const denials = statements.filter(({ answer }) => answer._tag === "NotFound")
  const silent = statements.filter(({ answer }) => answer._tag !== "NotFound")
  if (silent.length === 0 || denials.some(({ traits }) => traits.knowsAllSlips)) return { _tag: "NotFound" }
  return {
    _tag: "Unavailable",
    why: `${namesOf(denials)} does not know the slip, but ${namesOf(silent)} gave no answer and might know it`,
    retryAfterSeconds: shortestRetry(silent)
  }
}

const namesOf = (statements: ReadonlyArray<Statement>): string => statements.map(({ gateway }) => gateway).join(", ")

const retryOf = ({ answer }: Statement): number =>
  "retryAfterSeconds" in answer ? answer.retryAfterSeconds : Number.POSITIVE_INFINITY

const shortestRetry = (statements: ReadonlyArray<Statement>): number => Math.min(...statements.map(retryOf))

/** What the last gateway answered. The caller may ask again as soon as any gateway can answer. */
const withShortestRetry = (statements: ReadonlyArray<Statement>): GatewayAnswer => {
  const last = statements.at(-1)?.answer ?? NO_GATEWAY
  return "retryAfterSeconds" in last ? { ...last, retryAfterSeconds: shortestRetry(statements) } : last
}

const NO_GATEWAY: Unavailable = { _tag: "Unavailable", why: "no gateway was asked", retryAfterSeconds: 300 }
