import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  type AgedSlip,
  decide,
  decideAtEnd,
  describeStatement,
  type Statement
} from "../../../../infrastructure/adapters/banks/consensus.ts"
import { bankTraits, type GatewayTraits } from "../../../../infrastructure/adapters/banks/upstream/gateway.ts"
import { readSlipData } from "../../../../infrastructure/adapters/banks/upstream/slip-data.ts"
import { kbankSlipData } from "../../../support/banks/slip-data.ts"
import { known } from "./given-banks.ts"
import type { GatewayAnswer } from "../../../../ports/bank-gateway.ts"

const MINUTE = 60_000
const DAY = 86_400_000

const vendor = (family: string): GatewayTraits => ({
  family,
  knowsAllSlips: true,
  charges: { notFound: false, repeat: false },
  windowMillis: (bank) => bank === "002" ? 5 * MINUTE : 2 * MINUTE,
  recordMillis: (bank) => bank === "014" ? 7 * DAY : 30 * DAY
})

const strong: GatewayAnswer = { _tag: "NotFound" }
const weak: GatewayAnswer = { _tag: "NotFound", isWeak: true }
const pending: GatewayAnswer = { _tag: "Pending", retryAfterSeconds: 60 }
const down: GatewayAnswer = { _tag: "Unavailable", why: "it is down", retryAfterSeconds: 30, concerns: "gateway" }
const unpaid: GatewayAnswer = { _tag: "QuotaExhausted", why: "no questions are left", retryAfterSeconds: 600 }
const refused: GatewayAnswer = { _tag: "NotAuthorised", cause: "key", why: "wrong key", retryAfterSeconds: 600 }

const easyslip = (answer: GatewayAnswer): Statement => ({ gateway: "easyslip", traits: vendor("easyslip"), answer })
const thunder = (answer: GatewayAnswer): Statement => ({ gateway: "thunder", traits: vendor("easyslip"), answer })
const slip2go = (answer: GatewayAnswer): Statement => ({ gateway: "slip2go", traits: vendor("slip2go"), answer })
const scb = (answer: GatewayAnswer): Statement => ({ gateway: "scb", traits: bankTraits("scb"), answer })

/** A slip whose reference names the second of its transfer. */
const aged = (ageMillis: number | undefined, sendingBank = "004"): AgedSlip => ({
  sendingBank,
  age: ageMillis === undefined ? undefined : { youngest: Math.max(0, ageMillis), oldest: ageMillis, isCompared: true }
})
/** A slip whose reference names the day that began twelve hours ago. */
const today = (youngest: number): AgedSlip => ({
  sendingBank: "004",
  age: { youngest, oldest: DAY / 2, isCompared: false }
})
const hourOld = aged(60 * MINUTE)

/** `decide` after each statement in turn: the first answer, or that at the end. */
const answerTo = (
  statements: ReadonlyArray<Statement>,
  age: AgedSlip = hourOld,
  isRepeated = false
): { readonly asked: number; readonly answer: GatewayAnswer } => {
  for (let asked = 1; asked <= statements.length; asked++) {
    const answer = decide(statements.slice(0, asked), age)
    if (answer !== undefined) return { asked, answer }
  }
  return { asked: statements.length, answer: decideAtEnd(statements, age, isRepeated) }
}

describe("what is believed of gateways", () => {
  const cases: ReadonlyArray<[string, ReadonlyArray<Statement>, AgedSlip, number, object]> = [
    ["asks no other gateway after a certain NotFound", [easyslip(strong), slip2go(strong)], hourOld, 1, strong],
    ["asks no other gateway after Pending", [easyslip(pending), slip2go(strong)], hourOld, 1, pending],
    ["believes two families", [slip2go(weak), easyslip(weak)], hourOld, 2, strong],
    ["counts one family as one voice", [easyslip(weak), thunder(weak)], hourOld, 2, { _tag: "Unavailable" }],
    ["asks on after an uncertain NotFound", [slip2go(weak), easyslip(pending)], hourOld, 2, pending],
    ["believes a vendor when another is down", [easyslip(down), slip2go(strong)], hourOld, 2, strong],
    ["believes a vendor when another has no quota", [easyslip(unpaid), slip2go(strong)], hourOld, 2, strong],
    ["does not believe a bank when another is down", [easyslip(down), scb(strong)], hourOld, 2, {
      _tag: "Unavailable"
    }],
    ["treats any NotFound in the window as too early", [easyslip(strong)], aged(MINUTE), 1, {
      _tag: "Pending",
      retryAfterSeconds: 60
    }],
    ["does not let two families deny a slip in the window", [easyslip(strong), slip2go(strong)], aged(MINUTE), 2, {
      _tag: "Pending"
    }],
    ["has a longer window for Bangkok Bank", [easyslip(strong)], aged(3 * MINUTE, "002"), 1, {
      _tag: "Pending",
      retryAfterSeconds: 120
    }],
    ["believes a NotFound right after the window", [easyslip(strong)], aged(2 * MINUTE + 1), 1, strong],
    ["reports a transfer that is older than all records", [easyslip(strong), slip2go(weak)], aged(31 * DAY), 2, {
      _tag: "NotFound",
      isTooOld: true
    }],
    ["does not call a slip too old while a gateway is down", [easyslip(strong), slip2go(down)], aged(31 * DAY), 2, {
      _tag: "Unavailable"
    }],
    ["knows the shorter records of SCB's slips", [easyslip(strong)], aged(8 * DAY, "014"), 1, { isTooOld: true }],
    ["believes a NotFound when the reference tells no time", [easyslip(strong)], aged(undefined), 1, strong],
    ["counts a transfer within one window in the future as now", [easyslip(strong)], aged(-MINUTE), 1, {
      _tag: "Pending",
      retryAfterSeconds: 120
    }],
    ["ignores a reference further in the future", [easyslip(strong)], aged(-3 * MINUTE), 1, strong],
    ["ignores a reference of the year 9999", [scb(strong)], aged(-8_000 * 365 * DAY, "002"), 1, strong],
    [
      "calls no slip too old by a form that was not compared with printed slips",
      [easyslip(strong)],
      {
        sendingBank: "014",
        age: { youngest: 30 * DAY, oldest: 31 * DAY, isCompared: false }
      },
      1,
      strong
    ],
    ["waits one window for a slip of today", [easyslip(strong)], today(0), 1, {
      _tag: "Pending",
      retryAfterSeconds: 120
    }],
    [
      "believes a NotFound a window after a slip of today was presented",
      [easyslip(strong)],
      today(3 * MINUTE),
      1,
      strong
    ]
  ]
  it.each(cases)("%s", (_, statements, age, asked, answer) => {
    const result = answerTo(statements, age)
    assert.strictEqual(result.asked, asked)
    assert.deepInclude(result.answer, answer)
  })

  it("lets any gateway find a slip that others denied", () => {
    const found: GatewayAnswer = {
      _tag: "Found",
      transfer: Result.getOrThrow(readSlipData(kbankSlipData(known), known))
    }
    assert.deepStrictEqual(answerTo([slip2go(weak), thunder(unpaid), easyslip(found)]), { asked: 3, answer: found })
  })

  it("believes an uncertain NotFound that the gateway repeats later", () => {
    assert.deepStrictEqual(answerTo([slip2go(weak)], hourOld, true).answer, { _tag: "NotFound" })
    assert.deepInclude(answerTo([slip2go(weak)], hourOld, false).answer, {
      _tag: "Unavailable",
      retryAfterSeconds: 60
    })
  })

  it("does not believe a repeated NotFound of a bank while another gateway is down", () => {
    const weakBank: Statement = { ...scb(weak) }
    assert.deepInclude(answerTo([easyslip(down), weakBank], hourOld, true).answer, { _tag: "Unavailable" })
  })

  it("answers as the last gateway, with the shortest delay, when none can say", () => {
    assert.deepStrictEqual(answerTo([easyslip(down), slip2go(refused)]).answer, { ...refused, retryAfterSeconds: 30 })
  })

  it("describes the statements that do not decide", () => {
    assert.deepStrictEqual(
      [weak, refused, unpaid, down, pending].map((answer) => describeStatement(easyslip(answer))?.outcome),
      ["not-found", "not-authorised", "quota-exhausted", "unavailable", undefined]
    )
  })
})
