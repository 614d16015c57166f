import { assert, describe, it } from "../../../../support/it.ts"
import { Duration, Redacted } from "effect"
import { satang } from "../../../../../domain/money.ts"
import { transactionIdOf } from "../../../../../domain/slip/wallet-payload.ts"
import {
  type EasySlipValues,
  makeEasySlipGateway,
  makeThunderGateway
} from "../../../../../infrastructure/adapters/banks/easyslip/easyslip-gateway.ts"
import { testAuthority } from "../../../../support/tls.ts"
import { startVendorMock } from "../../../../support/vendors/start-vendor-mock.ts"
import { layerReading, newSlip } from "../../../commands/vendor-mock/ask-vendor.ts"
import { walletQuestion } from "../../../../support/views.ts"

/** A slip over 99 baht that the vendors of the test server find. */
const slip = newSlip({ bank: "TRUEMONEY", amount: satang(99_00) })
const transactionId = transactionIdOf(slip.transRef)

const question = walletQuestion(transactionId, {
  // A form must not end at bytes that look like a part of it.
  picture: { bytes: new TextEncoder().encode("\r\n------\r\n--picture--\r\n"), format: "jpeg" }
})

const makers = { easyslip: makeEasySlipGateway, thunder: makeThunderGateway }

describe("a question about a TrueMoney slip to a vendor", () => {
  it.effect.each(["easyslip/v2", "easyslip/api/v1", "thunder/v2"] as const)(
    "sends the picture as a form: %s",
    function* (path) {
      const vendors = yield* startVendorMock("https", layerReading(slip.payload))
      const name = path.startsWith("easyslip") ? "easyslip" : "thunder"
      const key = vendors.env[`${name.toUpperCase()}_API_KEY`] ?? ""
      const values: EasySlipValues = {
        apiKey: Redacted.make(key),
        baseUrl: `${vendors.origin}/${path}`,
        timeout: Duration.seconds(20),
        concurrency: 1,
        sendingBanks: [],
        price: undefined
      }
      const gateway = yield* makers[name](values, [testAuthority.certificate])
      assert.isTrue(gateway.answersFor("TRUEMONEY"))

      const { answer, upstream } = yield* gateway.verify(question)

      assert(answer._tag === "Found", JSON.stringify(answer))
      assert.deepInclude(answer.transfer, {
        transRef: question.transRef,
        amount: satang(99_00),
        sendingBank: "TRUEMONEY"
      })
      assert.include(upstream ?? "", transactionId)
      const another = yield* gateway.verify({ ...question, transRef: "TW1", transactionId: "1" })
      assert.deepInclude(another.answer, { _tag: "Unavailable", concerns: "slip" })
    }
  )
})
