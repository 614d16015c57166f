import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { openMatching } from "../../../application/sealing/sealed-data.ts"
import { ReadModelsError } from "../../../ports/read-models.ts"
import type { BankAccountView } from "../../../application/views/bank-account.ts"
import { verifyBankData } from "../../../application/verification/verification-view.ts"
import { slips } from "../../../domain/events/aggregates.ts"
import { newSlip } from "../../support/client.ts"
import { callerOf, givenVerifier, personal } from "../given-verifier.ts"

/** The account that receives the transfers of `givenVerifier`: PromptPay by phone, 081-xxx-1234. */
const own: BankAccountView = {
  id: "account-1",
  bankCode: "PROMPTPAY",
  bankNumber: "0819991234",
  nameTh: "ร้านกาแฟ",
  nameEn: "Coffee Shop",
  extraVerify: "MSISDN",
  type: "JURISTIC",
  isActive: true,
  createdAt: "2026-11-21T05:00:00.000Z",
  updatedAt: "2026-11-21T05:00:00.000Z"
}
const all = { bankCode: undefined, extraVerify: undefined }

describe("a slip whose receiver is matched", () => {
  it.effect("has the matched account of the calling branch", function* () {
    const { stubs, verify } = yield* givenVerifier
    stubs.accounts = (branchId) => Effect.succeed(branchId === "branch-1" ? [own] : [])
    const { payload } = newSlip()

    const verified = verifyBankData(yield* verify(payload, callerOf(), { accounts: all }))
    assert.deepStrictEqual(verified.matchedAccount, {
      id: "account-1",
      bank: { code: "PROMPTPAY", nameTh: "พร้อมเพย์", nameEn: "PromptPay", shortCode: "PROMPTPAY" },
      nameTh: "ร้านกาแฟ",
      nameEn: "Coffee Shop",
      type: "JURISTIC",
      bankNumber: "0819991234"
    })
    assert.deepInclude(verified.match, { account: "match", isAmbiguous: false })
    assert.isNotEmpty(verified.match?.reasons)

    const otherBranch = verifyBankData(
      yield* verify(payload, callerOf({ branchId: "branch-2" }), { accounts: all })
    )
    assert.isNull(otherBranch.matchedAccount)
    assert.strictEqual(otherBranch.match?.account, "no_match")
  })

  it.effect("is matched at each verification, with the accounts of that time", function* () {
    const { stubs, verify } = yield* givenVerifier
    const { payload } = newSlip()
    const before = yield* verify(payload, callerOf(), { accounts: all })
    stubs.accounts = () => Effect.succeed([own])
    const after = yield* verify(payload, callerOf(), { accounts: all })
    assert.deepStrictEqual([before.matching?.verdict, after.matching?.verdict], ["no_match", "match"])
    const without = yield* verify(payload)
    assert.isNull(without.matching)
  })

  it.effect("has the result of the match in the log, sealed", function* () {
    const { events, stubs, ports, verify } = yield* givenVerifier
    stubs.accounts = () => Effect.succeed([own])
    const { matching } = yield* verify(newSlip().payload, callerOf(), { accounts: all })

    const [event] = yield* events
    const { accountId, ...data } = event?.data ?? {}
    assert.strictEqual(accountId, "account-1", "the id of the account is in the clear, for filters")
    const text = JSON.stringify(data)
    for (const plain of [...personal, own.bankNumber, "account-1"]) assert.notInclude(text, plain)
    const recorded = slips.codec.decode(event ?? assert.fail("there is no event"))
    assert.deepStrictEqual(yield* Effect.provide(openMatching(recorded.matching ?? null), ports), matching)
  })

  it.effect("charges and claims nothing while the accounts can't be read", function* () {
    const { events, stubs, verify } = yield* givenVerifier
    stubs.accounts = () => Effect.fail(new ReadModelsError({ operation: "members", reason: "unavailable" }))
    const { payload } = newSlip()
    const error = yield* Effect.flip(verify(payload, callerOf({ quota: 1 }), { accounts: all }))
    assert.strictEqual(error._tag, "ReadModelsError")
    assert.deepStrictEqual(yield* events, [])
    stubs.accounts = () => Effect.succeed([own])
    const { duplicate } = yield* verify(payload, callerOf({ quota: 1 }), { accounts: all })
    assert.isNull(duplicate)
  })
})
