import { assert, describe, it } from "@effect/vitest"
import { slipsNamed } from "../../../application/reading/verification-filter.ts"
import { TRUEMONEY } from "../../../domain/slip/wallet-payload.ts"

describe("a reference in a filter", () => {
  it("of TrueMoney is the transaction id, or the reference that the service shows", () => {
    assert.deepStrictEqual(slipsNamed({ sendingBank: TRUEMONEY, reference: "5000" }), [[TRUEMONEY, "TW5000"]])
    assert.deepStrictEqual(slipsNamed({ sendingBank: TRUEMONEY, reference: "TW5000" }), [
      [TRUEMONEY, "TWTW5000"],
      [TRUEMONEY, "TW5000"]
    ])
  })

  it("of a bank is the one of that bank alone, and without a bank the one of each", () => {
    assert.deepStrictEqual(slipsNamed({ sendingBank: "004", reference: "A1" }), [["004", "A1"]])
    const banks = slipsNamed({ sendingBank: undefined, reference: "A1" }).map(([bank]) => bank)
    assert.includeMembers(banks, ["004", "014", TRUEMONEY])
  })
})
