import { Effect, Layer } from "effect"
import { bankGatewayContract } from "../../../contracts/bank-gateway.ts"
import { easyslip, startVendor, thunder } from "../../../support/banks/vendors.ts"
import { contractQuestions, contractSlips, singleGateway } from "../given-banks.ts"

for (const vendor of [easyslip, thunder]) {
  bankGatewayContract(vendor.title, {
    ...contractQuestions,
    gateway: vendor.name,
    layer: Layer.unwrap(
      Effect.map(
        startVendor(vendor, contractSlips(vendor.slipData)),
        (server) => singleGateway(Effect.orDie(vendor.makeGateway(server.url)))
      )
    )
  })
}
