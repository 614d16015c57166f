import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { accountPurpose, numberDigest, openDetails, sealDetails } from "../../../application/sealing/sealed-data.ts"
import { fieldsOf } from "../../../domain/bank-account/fields.ts"
import { Vault } from "../../../ports/vault.ts"
import { layerKeys } from "../../support/ports.ts"

const test = it.effect.with(() => layer)

const layer = layerKeys
const owner = { serviceId: "service-1", accountId: "account-1" }
const plain = fieldsOf({ bankCode: "KSHOP", bankNumber: "010753600031508", nameTh: "ร้าน" })

describe("the sealed fields of a bank account", () => {
  test("open when an earlier version sealed them, without a merchant", function* () {
    const text = JSON.stringify({ bankNumber: "1234567890", nameTh: "ร้าน", nameEn: null })
    const details = yield* openDetails(yield* (yield* Vault).seal(accountPurpose, text, undefined, "the account"))
    assert.deepStrictEqual(details, {
      bankNumber: "1234567890",
      nameTh: "ร้าน",
      nameEn: null,
      ref1: null,
      merchantId: null
    })
  })

  test("keep the merchant", function* () {
    const details = yield* openDetails(
      yield* sealDetails({ ...plain, ref1: "KB000001234567", merchantId: "M77" }, owner)
    )
    assert.deepInclude(details, { ref1: "KB000001234567", merchantId: "M77" })
  })

  test("give one digest for each merchant, and the digest of earlier versions without a merchant", function* () {
    const merchants = [plain, { ...plain, ref1: "A" }, { ...plain, ref1: "B" }, { ...plain, merchantId: "A" }]
    const digests = yield* Effect.forEach(merchants, numberDigest)
    assert.lengthOf(new Set(digests), merchants.length)
    assert.strictEqual(digests[0], (yield* Vault).digest(accountPurpose, "KSHOP:010753600031508"))
  })
})
