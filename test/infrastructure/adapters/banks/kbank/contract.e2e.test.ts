import { Effect, Layer } from "effect"
import { makeKbankGateway } from "../../../../../infrastructure/adapters/banks/kbank/kbank-gateway.ts"
import { bankGatewayContract } from "../../../../contracts/bank-gateway.ts"
import { makeClient } from "../../../../support/banks/client-certificate.ts"
import { startKbankBank } from "../../../../support/banks/kbank-bank.ts"
import { kbankSlipData } from "../../../../support/banks/slip-data.ts"
import { contractQuestions, contractSlips, kbankOptions, singleGateway } from "../given-banks.ts"

bankGatewayContract("KBank, with the client certificate that it demands", {
  ...contractQuestions,
  gateway: "kbank",
  layer: Layer.unwrap(Effect.gen(function* () {
    const { authority, certificate } = yield* makeClient
    const bank = yield* startKbankBank({ slips: contractSlips(kbankSlipData), clientAuthority: authority })
    return singleGateway(makeKbankGateway(kbankOptions(bank.url, { certificate })))
  }))
})
