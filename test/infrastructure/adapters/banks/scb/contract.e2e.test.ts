import { Effect, Layer } from "effect"
import { makeScbGateway } from "../../../../../infrastructure/adapters/banks/scb/scb-gateway.ts"
import { bankGatewayContract } from "../../../../contracts/bank-gateway.ts"
import { startScbBank } from "../../../../support/banks/scb-bank.ts"
import { scbSlipData } from "../../../../support/banks/slip-data.ts"
import { contractQuestions, contractSlips, scbOptions, singleGateway } from "../given-banks.ts"

bankGatewayContract("SCB", {
  ...contractQuestions,
  gateway: "scb",
  layer: Layer.unwrap(
    Effect.map(
      startScbBank({ slips: contractSlips(scbSlipData) }),
      (bank) => singleGateway(makeScbGateway(scbOptions(bank.url)))
    )
  )
})
