import { Effect, Layer } from "effect"
import { makeKbankGateway } from "../../../../infrastructure/gateways/kbank/kbank-gateway.ts"
import { bankGatewayContract, questionOf } from "../../../contracts/bank-gateway.ts"
import { makeClient } from "../../../support/banks/client-certificate.ts"
import { startKbankBank } from "../../../support/banks/kbank-bank.ts"
import { slipKey } from "../../../support/banks/local-bank.ts"
import { kbankSlipData } from "../../../support/banks/slip-data.ts"
import { alone, kbankOptions, kbankSlips, known, unknown } from "../given-banks.ts"

const elsewhere = questionOf("004", "016325154500APP00001")
const another = questionOf("004", "anotherSlip")
const nothing = questionOf("004", "nothing")

bankGatewayContract("KBank, with the client certificate that it demands", {
  gateway: "kbank",
  known: [known, elsewhere],
  unknown: [unknown, questionOf("002", known.transRef)],
  unavailable: [another, nothing],
  layer: Layer.unwrap(Effect.gen(function*() {
    const { authority, certificate } = yield* makeClient
    const slips = new Map<string, object>([
      ...kbankSlips(known, elsewhere),
      [slipKey(another), kbankSlipData(known)],
      [slipKey(nothing), {}]
    ])
    const bank = yield* startKbankBank({ slips, clientAuthority: authority })
    return alone(makeKbankGateway(kbankOptions(bank.url, { certificate })))
  }))
})
