import { Effect, Layer } from "effect"
import { makeScbGateway } from "../../../../infrastructure/gateways/scb/scb-gateway.ts"
import { bankGatewayContract, questionOf } from "../../../contracts/bank-gateway.ts"
import { slipKey } from "../../../support/banks/local-bank.ts"
import { startScbBank } from "../../../support/banks/scb-bank.ts"
import { scbSlipData } from "../../../support/banks/slip-data.ts"
import { alone, known, scbOptions, scbSlips, unknown } from "../given-banks.ts"

const elsewhere = questionOf("004", "016325154500APP00001")
const another = questionOf("014", "anotherSlip")
const nothing = questionOf("014", "nothing")

bankGatewayContract("SCB", {
  gateway: "scb",
  known: [known, elsewhere],
  unknown: [unknown, questionOf("002", known.transRef)],
  unavailable: [another, nothing],
  layer: Layer.unwrap(Effect.gen(function*() {
    const slips = new Map<string, object>([
      ...scbSlips(known, elsewhere),
      [slipKey(another), scbSlipData(known)],
      [slipKey(nothing), {}]
    ])
    const bank = yield* startScbBank({ slips })
    return alone(makeScbGateway(scbOptions(bank.url)))
  }))
})
