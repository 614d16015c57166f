import { Effect, Layer } from "effect"
import { bankGatewayContract } from "../../../contracts/bank-gateway.ts"
import { rdcw, startVendor } from "../../../support/banks/vendors.ts"
import { contractQuestions, contractSlips, singleGateway } from "../given-banks.ts"

bankGatewayContract("RDCW", {
  known: contractQuestions.known,
  // RDCW uses the code of an unknown slip for other cases too: alone, it decides nothing.
  unknown: [],
  unavailable: [...contractQuestions.unavailable, ...contractQuestions.unknown],
  gateway: "rdcw",
  layer: Layer.unwrap(
    Effect.map(
      startVendor(rdcw, contractSlips(rdcw.slipData)),
      (server) => singleGateway(Effect.orDie(rdcw.makeGateway(server.url)))
    )
  )
})
