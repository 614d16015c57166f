import { Effect, Layer } from "effect"
import { bankGatewayContract } from "../../../contracts/bank-gateway.ts"
import { easyslip, rdcw, slip2go, slipok, startVendor, thunder } from "../../../support/banks/vendors.ts"
import { contractQuestions, contractSlips, singleGateway } from "./given-banks.ts"

for (const vendor of [easyslip, thunder, rdcw, slip2go, slipok]) {
  const { known, unavailable, unknown } = contractQuestions
  bankGatewayContract(vendor.title, {
    known,
    // Where the code of an unknown slip stands for other cases too, it decides nothing alone.
    ...(vendor.isWeak ? { unknown: [], unavailable: [...unavailable, ...unknown] } : { unknown, unavailable }),
    gateway: vendor.name,
    layer: Layer.unwrap(
      Effect.map(
        startVendor(vendor, contractSlips(vendor.slipData)),
        (server) => singleGateway(Effect.orDie(vendor.makeGateway(server.url)))
      )
    )
  })
}
