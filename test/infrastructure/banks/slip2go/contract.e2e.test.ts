import { Effect, Layer } from "effect"
import { bankGatewayContract } from "../../../contracts/bank-gateway.ts"
import { slip2go, startVendor } from "../../../support/banks/vendors.ts"
import { contractQuestions, contractSlips, singleGateway } from "../given-banks.ts"

bankGatewayContract("Slip2Go", {
  known: contractQuestions.known,
  // Slip2Go uses the code of an unknown slip for other cases too: alone, it decides nothing.
  unknown: [],
  unavailable: [...contractQuestions.unavailable, ...contractQuestions.unknown],
  gateway: "slip2go",
  layer: Layer.unwrap(
    Effect.map(
      startVendor(slip2go, contractSlips(slip2go.slipData)),
      (server) => singleGateway(Effect.orDie(slip2go.makeGateway(server.url)))
    )
  )
})
