import { Effect, type Layer, Redacted, type Scope } from "effect"
import type { BankGateway, SlipQuestion } from "../../../../ports/bank-gateway.ts"
import { layerFailover } from "../../../../infrastructure/adapters/banks/failover-gateway.ts"
import { type KbankOptions, makeKbankGateway } from "../../../../infrastructure/adapters/banks/kbank/kbank-gateway.ts"
import { makeScbGateway, type ScbOptions } from "../../../../infrastructure/adapters/banks/scb/scb-gateway.ts"
import type { Gateway } from "../../../../infrastructure/adapters/banks/upstream/gateway.ts"
import { questionOf } from "../../../contracts/bank-gateway.ts"
import { kbankCredentials, startKbankBank } from "../../../support/banks/kbank-bank.ts"
import { slipKey } from "../../../support/banks/local-bank.ts"
import { scbCredentials, startScbBank } from "../../../support/banks/scb-bank.ts"
import { kbankSlipData, scbSlipData } from "../../../support/banks/slip-data.ts"
import { testAuthority } from "../../../support/tls.ts"

/** A slip that the banks of these tests know, and a slip that they do not know. */
export const known = questionOf("014", "202611210aBcDeFgHiJkLmNoP")
export const unknown = questionOf("014", "202611210aBcDeFgHiJkLmNoQ")

const limits = {
  timeoutMillis: 4_000,
  concurrency: 20,
  sendingBanks: [],
  authorities: [testAuthority.certificate]
}

export const scbOptions = (url: string, changes: Partial<ScbOptions> = {}): ScbOptions => ({
  ...limits,
  baseUrl: `${url}/partners`,
  apiKey: Redacted.make(scbCredentials.apiKey),
  apiSecret: Redacted.make(scbCredentials.apiSecret),
  ...changes
})

export const kbankOptions = (url: string, changes: Partial<KbankOptions> = {}): KbankOptions => ({
  ...limits,
  baseUrl: url,
  consumerId: Redacted.make(kbankCredentials.consumerId),
  consumerSecret: Redacted.make(kbankCredentials.consumerSecret),
  certificate: undefined,
  isTest: false,
  codes: { notFound: [], pending: [] },
  ...changes
})

/** Failover with a single gateway, wired as in the service. */
export const singleGateway = (gateway: Effect.Effect<Gateway, never, Scope.Scope>): Layer.Layer<BankGateway> =>
  layerFailover(Effect.map(gateway, (gateway) => [gateway]))

/** The slips of a bank by `slipKey`, with the data from `dataOf`. */
export const slipsOf = (dataOf: DataOf, ...questions: ReadonlyArray<SlipQuestion>): ReadonlyMap<string, object> =>
  new Map(questions.map((question) => [slipKey(question), dataOf(question)]))

type DataOf = (question: SlipQuestion) => object

const elsewhere = questionOf("004", "016325154500APP00001")
const mismatched = questionOf("014", "anotherSlip")
const empty = questionOf("014", "nothing")

/** The questions of the contract tests to a bank with `contractSlips`. */
export const contractQuestions = {
  known: [known, elsewhere],
  unknown: [unknown, questionOf("002", known.transRef)],
  unavailable: [mismatched, empty]
} as const

/** Two correct slips, one slip with the data of another, and one slip without data. */
export const contractSlips = (dataOf: DataOf): ReadonlyMap<string, object> =>
  new Map([...slipsOf(dataOf, known, elsewhere), [slipKey(mismatched), dataOf(known)], [slipKey(empty), {}]])

/** An SCB server that knows the slip `known`, and its gateway. */
export const givenScb = Effect.fnUntraced(function* (changes: Partial<ScbOptions> = {}, lifetimeSeconds = 1_800) {
  const bank = yield* startScbBank({ slips: slipsOf(scbSlipData, known), lifetimeSeconds })
  const gateway = yield* makeScbGateway(scbOptions(bank.url, changes))
  return { bank, gateway, ask: gateway.verify }
})

/** A KBank server that knows the slip `known`, and its gateway. */
export const givenKbank = Effect.fnUntraced(function* (changes: Partial<KbankOptions> = {}, lifetimeSeconds = 1_740) {
  const bank = yield* startKbankBank({
    slips: slipsOf(kbankSlipData, known),
    lifetimeSeconds,
    isTest: changes.isTest ?? false
  })
  const gateway = yield* makeKbankGateway(kbankOptions(bank.url, changes))
  return { bank, gateway, ask: gateway.verify }
})
