import { Effect, Layer } from "effect"
import { bankGatewayContract } from "../../../contracts/bank-gateway.ts"
import { slipok, startVendor } from "../../../support/banks/vendors.ts"
import { contractQuestions, contractSlips, singleGateway } from "../given-banks.ts"

bankGatewayContract("SlipOK", {
  ...contractQuestions,
  gateway: "slipok",
  layer: Layer.unwrap(
    Effect.map(
      startVendor(slipok, contractSlips(slipok.slipData)),
      (server) => singleGateway(Effect.orDie(slipok.makeGateway(server.url)))
    )
  )
})
