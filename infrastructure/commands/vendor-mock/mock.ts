import { Clock, Effect } from "effect"
import { type AccountState, type Charges, makeAccount, newAccountState } from "./account.ts"
import { answerOther, answerSlip, type Statement, type VendorParts } from "./answers.ts"
import type { Dialect, Question } from "./dialect.ts"
import { easyslipV1, easyslipV2 } from "./dialects/easyslip.ts"
import { rdcwV1, rdcwV2 } from "./dialects/rdcw.ts"
import { slip2go } from "./dialects/slip2go.ts"
import { slipok } from "./dialects/slipok.ts"
import { type Fault, withTransport } from "./faults.ts"
import { makeKnownSlips } from "./known-slips.ts"
import { noPlan, type Plan, type VendorChanges } from "./plan.ts"
import { type RawRequest, readFields } from "./requests.ts"
import { type Vendor, vendors } from "./vendors.ts"

const dialects: ReadonlyArray<Dialect> = [
  easyslipV2("easyslip"),
  easyslipV1("easyslip", "/easyslip/api/v1"),
  easyslipV2("thunder"),
  easyslipV1("thunder", "/thunder/v1"),
  slipok,
  slip2go,
  rdcwV2,
  rdcwV1
]

/** A request to a vendor, and what became of it. */
export interface Exchange extends Pick<Statement, "said" | "reference"> {
  readonly vendor: Vendor
  readonly asked: Question["_tag"]
  readonly fault: Fault
}

/** One vendor, as `GET /_control` shows it. */
export interface VendorState extends Omit<Plan, "answer" | "quotaAnswer"> {
  readonly account: AccountState
  readonly charges: Charges
}

const newParts = (vendor: Vendor, now: number): VendorParts => ({
  plan: noPlan,
  account: makeAccount(newAccountState(vendor, now)),
  slips: makeKnownSlips()
})

/** Answers the requests to all vendors. Keeps what they were asked and what they charged, until it is reset. */
export const makeVendorMock = Effect.gen(function* () {
  const parts = new Map<Vendor, VendorParts>()
  const reset = Effect.map(Clock.currentTimeMillis, (now) => {
    for (const vendor of vendors) parts.set(vendor, newParts(vendor, now))
  })
  yield* reset

  const partsOf = (vendor: Vendor): VendorParts => {
    const found = parts.get(vendor)
    if (found === undefined) throw new Error(`there is no vendor ${vendor}`)
    return found
  }

  const change = (vendor: Vendor, { account, ...plan }: VendorChanges): void => {
    const found = partsOf(vendor)
    found.plan = { ...found.plan, ...plan }
    found.account.change(account ?? {})
  }

  const state = (vendor: Vendor): VendorState => {
    const { account, plan: { answer: _, quotaAnswer: __, ...plan } } = partsOf(vendor)
    return { ...plan, account: account.state(), charges: account.charges() }
  }

  /** Undefined when the path belongs to no vendor. */
  const answer = Effect.fnUntraced(function* (raw: RawRequest) {
    const { pathname, searchParams: query } = new URL(raw.url, "http://vendor.test")
    const dialect = dialects.find(({ basePath }) => pathname.startsWith(`${basePath}/`))
    if (dialect === undefined) return undefined
    const path = pathname.slice(dialect.basePath.length)
    const request = { ...raw, path, query, fields: yield* readFields(raw) }
    const vendor = partsOf(dialect.vendor)
    const question = dialect.read(request)
    const isSlip = question._tag === "BankSlip" || question._tag === "WalletSlip"
    const fault = isSlip ? takeFault(vendor) : currentFault(vendor.plan)
    const asked = { dialect, vendor, request, fault }
    if (isSlip) vendor.account.countQuestion()
    if (question._tag === "Quota") vendor.account.countQuotaQuestion()
    const statement = isSlip ? yield* answerSlip(asked, question) : answerOther(asked, question._tag === "Quota")
    const { said, reference } = statement
    const exchange: Exchange = { vendor: dialect.vendor, asked: question._tag, reference, said, fault }
    return { exchange, answer: withTransport(statement.answer, fault) }
  })

  return { answer, change, reset, state }
})

export type VendorMock = Effect.Success<typeof makeVendorMock>

const currentFault = ({ fault, times }: Plan): Fault => times === 0 ? "none" : fault

/** The fault of this question about a slip. It counts down. */
const takeFault = (vendor: VendorParts): Fault => {
  const fault = currentFault(vendor.plan)
  const { times } = vendor.plan
  if (times !== null && times > 0) vendor.plan = { ...vendor.plan, times: times - 1 }
  return fault
}
