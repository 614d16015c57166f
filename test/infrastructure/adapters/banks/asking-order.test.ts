import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { byPrice, type Candidate, makeAskingOrder } from "../../../../infrastructure/adapters/banks/asking-order.ts"
import { bankTraits, type Charges, type Gateway } from "../../../../infrastructure/adapters/banks/upstream/gateway.ts"
import type { GatewayAnswer } from "../../../../ports/bank-gateway.ts"

const candidate = (changes: Partial<Candidate>): Candidate => ({
  isPaused: false,
  isFreeRepeat: false,
  price: 0.4,
  chargesNotFound: false,
  ...changes
})

describe("the order by price", () => {
  const names = (candidates: Readonly<Record<string, Candidate>>) =>
    Object.entries(candidates).sort(([, one], [, other]) => byPrice(one, other)).map(([name]) => name).join(" ")

  it.each(
    [
      ["keeps the order of equal gateways", { a: candidate({}), b: candidate({}) }, "a b"],
      ["prefers the lower price", { a: candidate({}), b: candidate({ price: 0.25 }) }, "b a"],
      ["prefers a bank, which is free", { a: candidate({ price: 0.125 }), b: candidate({ price: 0 }) }, "b a"],
      ["prefers a free repeat to a bank", { a: candidate({ price: 0 }), b: candidate({ isFreeRepeat: true }) }, "b a"],
      ["takes the vendor that charges an unknown slip last", {
        a: candidate({ chargesNotFound: true }),
        b: candidate({})
      }, "b a"],
      ["prefers the lower price to a free unknown slip", {
        a: candidate({}),
        b: candidate({ price: 0.25, chargesNotFound: true })
      }, "b a"],
      ["lets paused gateways answer first that they were not asked", {
        a: candidate({ isFreeRepeat: true }),
        b: candidate({ isPaused: true, price: 5 })
      }, "b a"]
    ] as ReadonlyArray<[string, Readonly<Record<string, Candidate>>, string]>
  )("%s", (_, candidates, expected) => assert.strictEqual(names(candidates), expected))
})

interface Options {
  readonly charges?: Charges
  readonly price?: number
}

const gateway = (name: string, { charges, price }: Options): Gateway => ({
  name,
  traits: { ...bankTraits(name), charges },
  timeoutMillis: 1_000,
  answersFor: () => true,
  check: Effect.void,
  verify: () => Effect.never,
  status: () => ({ name, ...(price === undefined ? {} : { price }) })
})

const freeRepeat: Charges = { notFound: false, repeat: false }
const easyslip = gateway("easyslip", { price: 0.4, charges: freeRepeat })
const slipok = gateway("slipok", { price: 0.5, charges: { notFound: false, repeat: true } })
const slip2go = gateway("slip2go", { price: 0.25, charges: { notFound: true, repeat: false } })
const scb = gateway("scb", {})
const all = [easyslip, slipok, slip2go, scb]

const turn = (gateway: Gateway) => ({ gateway, isPaused: false })
const timedOut: GatewayAnswer = { _tag: "Unavailable", why: "no answer", retryAfterSeconds: 30, concerns: "gateway" }
const unusable: GatewayAnswer = { ...timedOut, concerns: "slip" }
const notFound: GatewayAnswer = { _tag: "NotFound" }

const namesOf = (turns: ReadonlyArray<{ readonly gateway: Gateway }>) => turns.map(({ gateway: { name } }) => name)

describe("the gateways in the order of asking", () => {
  it("are as configured by default, whatever they cost", () => {
    const order = makeAskingOrder(all, "configured")
    order.asked(turn(slip2go), "004:one", timedOut)
    assert.deepStrictEqual(namesOf(order.forSlip("004:one", 0)), ["easyslip", "slipok", "slip2go", "scb"])
  })

  it("follow the price", () => {
    const order = makeAskingOrder(all, "price")
    assert.deepStrictEqual(namesOf(order.forSlip("004:one", 0)), ["scb", "slip2go", "easyslip", "slipok"])
  })

  it("begin with a vendor that may have charged the slip and charges no repeat", () => {
    const order = makeAskingOrder(all, "price")
    order.asked(turn(easyslip), "004:one", timedOut)
    order.asked(turn(slipok), "004:one", timedOut)
    order.asked(turn(slip2go), "004:one", notFound)
    order.asked(turn(slip2go), "004:one", unusable)
    assert.deepStrictEqual(namesOf(order.forSlip("004:one", 0)), ["easyslip", "scb", "slip2go", "slipok"])
    assert.deepStrictEqual(namesOf(order.forSlip("004:two", 0)), ["scb", "slip2go", "easyslip", "slipok"])
  })

  it("do not count a paused gateway as asked, and have it in its place when the next question tests it", () => {
    let leftMillis = 5_000
    const thunder: Gateway = {
      ...gateway("thunder", { charges: freeRepeat }),
      status: () => ({ name: "thunder", price: 0.1, pause: { cause: "failures", leftMillis } })
    }
    const order = makeAskingOrder([scb, thunder], "price")
    const turns = order.forSlip("004:one", 0)
    assert.deepStrictEqual(namesOf(turns), ["thunder", "scb"])
    for (const each of turns) order.asked(each, "004:one", timedOut)
    leftMillis = 0
    assert.deepStrictEqual(namesOf(order.forSlip("004:one", 0)), ["scb", "thunder"])
  })
})
