import { assert, layer } from "../support/it.ts"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { receivers } from "../../infrastructure/adapters/banks/sandbox/receivers.ts"
import type { RawSlip } from "../../sdk/webhook/callback.ts"
import { newSlip } from "../support/client.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { assertFailure, assertInvalid } from "./assert-answer.ts"
import { badBank, badExtra, duplicate, given, needsExtra, notFound, shop, UNKNOWN_ID } from "./given-bank-accounts.ts"

layer.live(layerRunningService())("a bank account", (it) => {
  it.effect("is stored with the digits of its number, and is readable immediately", function* () {
    const { main } = yield* given
    const { data, status, text } = yield* main.post(shop)
    assert.strictEqual(status, 201, text)
    assert.deepStrictEqual(Object.keys(data), [
      "id",
      "bankCode",
      "bankNumber",
      "nameTh",
      "nameEn",
      "type",
      "extraVerify",
      "isActive",
      "createdAt",
      "updatedAt"
    ])
    assert.deepInclude(data, {
      ...shop,
      bankNumber: "1234567890",
      nameEn: null,
      type: null,
      extraVerify: null,
      isActive: true,
      updatedAt: data.createdAt
    })
    assert.match(data.createdAt, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/u)
    assert.deepStrictEqual((yield* main.get(data.id)).data, data)
    assert.deepStrictEqual((yield* main.get(data.id.toUpperCase())).data, data)
    assert.deepStrictEqual((yield* main.list()).data, { items: [data], nextCursor: null })
  })

  it.effect("can be registered for every receiver of the sandbox bank", function* () {
    const { main } = yield* given
    for (const { register } of receivers) {
      const { data, status, text } = yield* main.post(register)
      assert.strictEqual(status, 201, text)
      assert.deepInclude(data, register)
    }
  })

  it.effect("is rejected with all missing and invalid fields", function* () {
    const { main } = yield* given
    assertInvalid(yield* main.post({}), "bankCode", "bankNumber", "nameTh")
    assertInvalid(
      yield* main.post({ ...shop, nameTh: "", nameEn: "x".repeat(101), type: "SHOP" }),
      "nameTh",
      "nameEn",
      "type"
    )
    for (const nameTh of [null, "   ", "ก".repeat(101), 7]) {
      assertInvalid(yield* main.post({ ...shop, nameTh }), "nameTh")
    }
    for (
      const bankNumber of ["", "xxx-x-x1234-x", "12345", "1".repeat(16), "1".repeat(21), 1234567890, "๑๒๓๔๕๖๗๘๙๐"]
    ) {
      assertInvalid(yield* main.post({ ...shop, bankNumber }), "bankNumber")
    }
    assertInvalid(yield* main.post([]), "")
    badBank(yield* main.post({ ...shop, bankCode: "999" }))
    needsExtra(yield* main.post({ ...shop, bankCode: "002" }))
    badExtra(yield* main.post({ ...shop, extraVerify: "NAME" }))
    assert.deepStrictEqual(yield* main.ids(), [])
  })

  it.effect("has a number that is unique within its service while it is active", function* () {
    const { main, sub } = yield* given
    const { data: { id } } = yield* main.post(shop)
    duplicate(yield* main.post({ ...shop, nameTh: "อื่น" }))
    duplicate(yield* sub.post({ ...shop, bankNumber: "1234567890" }))
    assert.strictEqual((yield* main.post({ ...shop, bankCode: "014" })).status, 201)
    assert.strictEqual((yield* (yield* given).main.post(shop)).status, 201, "registered by another service")

    const deleted = yield* main.delete(id)
    assert.strictEqual(deleted.status, 200, deleted.text)
    assert.deepInclude(deleted.data, { id, bankNumber: "1234567890", isActive: false })
    assert.isTrue(deleted.data.updatedAt >= deleted.data.createdAt)
    assert.deepStrictEqual((yield* main.get(id)).data, deleted.data)
    assert.deepStrictEqual((yield* main.delete(id)).data, deleted.data)
    notFound(yield* main.patch(id, { nameTh: "อื่น" }))

    const again = yield* sub.post(shop)
    assert.strictEqual(again.status, 201, again.text)
    assert.notStrictEqual(again.data.id, id)
    assert.deepStrictEqual((yield* main.get(id)).data, deleted.data)
  })

  it.effect("is visible only to the branches that it is linked to", function* () {
    const { main, sub } = yield* given
    const otherService = (yield* given).main
    const { data: { id } } = yield* main.post(shop)
    for (const branch of [sub, otherService]) {
      notFound(yield* branch.get(id))
      notFound(yield* branch.patch(id, { nameTh: "อื่น" }))
      notFound(yield* branch.delete(id))
      assert.deepStrictEqual(yield* branch.ids(), [])
    }
    for (const unknown of [UNKNOWN_ID, "7", "%00", `${id}0`, "..%2F..%2F"]) {
      notFound(yield* main.get(unknown))
      notFound(yield* main.patch(unknown, {}))
      notFound(yield* main.delete(unknown))
    }
  })

  it.effect("is not accessible without a key", function* () {
    const { call } = yield* RunningService
    for (
      const [method, path] of [
        ["GET", ""],
        ["POST", ""],
        ["GET", `/${UNKNOWN_ID}`],
        ["PATCH", `/${UNKNOWN_ID}`],
        ["DELETE", `/${UNKNOWN_ID}`]
      ] as const
    ) {
      const answer = yield* call(method, `/v2/bank-accounts${path}`, method === "GET" ? {} : { body: {} })
      assertFailure(answer, 401, "MISSING_API_KEY", "Authorization header is required")
    }
  })

  it.effect("can be one of several merchants of a biller, which differ by ref1 and merchantId", function* () {
    const { main } = yield* given
    const kShop = { bankCode: "KSHOP", bankNumber: "010753600031508", nameTh: "ร้านกาแฟ" }
    const one = yield* main.post({ ...kShop, ref1: "KPS004kb000001234567" })
    assert.deepInclude(one.data, { ...kShop, ref1: "KB000001234567" }, one.text)
    assert.notProperty(one.data, "merchantId")
    const other = yield* main.post({ ...kShop, ref1: "KB000007654321", merchantId: "m-77" })
    assert.deepInclude(other.data, { ref1: "KB000007654321", merchantId: "M77" }, other.text)
    duplicate(yield* main.post({ ...kShop, ref1: " KB000001234567 " }))
    duplicate(yield* main.patch(other.data.id, { ref1: "KB000001234567", merchantId: null }))
    assert.deepStrictEqual((yield* main.list()).data.items, [one.data, other.data])

    const printed = yield* main.post({ ...kShop, bankNumber: "KPS004KB000001234567" })
    assertInvalid(printed, "bankNumber")
    assert.include(printed.text, "Give the biller id 010753600031508 as bankNumber")
    assertInvalid(yield* main.post({ ...kShop, ref1: "SHOP1" }), "ref1")
    assertInvalid(yield* main.post({ ...shop, merchantId: "M77" }), "bankNumber")
  })

  it.effect("of a biller matches the slips with its ref1 only", function* () {
    const { call, main, verify } = yield* given
    const { payload } = newSlip({ receiver: 6 })
    const first = yield* call<RawSlip>("POST", "/v1/verify", { key: main.key, body: { payload } })
    const { receiver: { merchantId }, ref1, ref2 } = first.data
    assert.deepStrictEqual([merchantId, ref1.length, ref2.length], [receivers[6]?.register.bankNumber, 10, 10])
    const { data: { id } } = yield* main.post({
      bankCode: "014",
      bankNumber: merchantId,
      nameTh: "ร้านอื่น",
      ref1: "OTHER"
    })

    const body = { payload, matchAccount: true }
    const differs = yield* verify(main.key, body)
    assert.deepStrictEqual([differs.data.match?.account, differs.data.matchedAccount], ["no_match", null])
    yield* main.patch(id, { ref1 })
    const agrees = yield* verify(main.key, body)
    assert.deepStrictEqual([agrees.data.match?.account, agrees.data.matchedAccount?.id], ["match", id])
    assert.deepInclude(agrees.data.rawSlip, { ref1, ref2 })
    assert.strictEqual(agrees.data.rawSlip.receiver.merchantId, merchantId)
  })

  it.effect("leaves no number or name in files or log lines", function* () {
    const { dataDir, logs, main } = yield* given
    const secret = { bankNumber: "7418529630", nameTh: "นาย ลับเฉพาะ ยิ่งนัก", nameEn: "LAPCHAPHO YINGNAK" }
    const { data } = yield* main.post({ ...shop, ...secret })
    yield* main.patch(data.id, { bankNumber: "7418529631" })
    yield* main.delete(data.id)
    const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
    assert.isAtLeast(files.length, 2)
    const written = [
      ...files.map(({ name, parentPath }) => readFileSync(join(parentPath, name))),
      Buffer.from(logs.join())
    ]
    for (const text of [...Object.values(secret), "7418529631"]) {
      assert.isFalse(written.some((bytes) => bytes.includes(text)), text)
    }
    assert.isTrue(written.some((bytes) => bytes.includes(data.id)), "the search finds plain text")
  })
})
