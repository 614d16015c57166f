import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { satang } from "../../domain/money.ts"
import { newSlip } from "../support/client.ts"
import { RunningService } from "../support/service.ts"
import { assertFailure, assertInvalid } from "./assert-answer.ts"
import { layerShop, Shop } from "./given-shop-with-picture.ts"

const verify = Effect.fnUntraced(function* (body: unknown) {
  const { verify } = yield* RunningService
  return yield* verify((yield* Shop).key, body)
})

const payload = () => newSlip().payload

layer.live(layerShop())("POST /v2/verify/bank with JSON", (it) => {
  it.effect("returns the whole slip, with amounts in baht", function* () {
    const slip = newSlip({ amount: satang(1_500_50), at: Date.parse("2026-11-21T05:06:07Z") })
    const { data, message, status, success } = yield* verify(slip.payload)

    assert.deepStrictEqual([status, success, typeof message], [200, true, "string"])
    const { rawSlip, verificationId, ...verdict } = data
    assert.deepStrictEqual(verdict, { isDuplicate: false, amountInSlip: 1500.5, matchedAccount: null })
    assert.match(verificationId, /^[0-9a-f]{8}-[0-9a-f]{4}-7/u)
    assert.deepInclude(rawSlip, {
      payload: slip.payload,
      transRef: slip.transRef,
      date: "2026-11-21T12:06:07+07:00",
      countryCode: "TH",
      amount: { amount: 1500.5, local: { amount: 1500.5, currency: "764" } },
      fee: 0
    })
    for (const field of [rawSlip.ref1, rawSlip.ref2, rawSlip.ref3]) assert.isString(field)
    for (const { account, bank } of [rawSlip.sender, rawSlip.receiver]) {
      assert.hasAllKeys(bank, ["id", "name", "short"])
      assert.isString(account.name.th)
      assert.hasAllKeys(account.bank, ["type", "account"])
    }
    assert.isNull(rawSlip.receiver.merchantId)
  })

  it.effect("returns when and by which branch a duplicate was first verified", function* () {
    const text = payload()
    yield* verify(text)
    const { data } = yield* verify(text)
    assert.isTrue(data.isDuplicate)
    assert.deepInclude(data.duplicate, { sameBranch: true, count: 2 })
    assert.match(data.duplicate?.firstVerifiedAt ?? "", /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/u)
  })

  it.effect("returns the remark and the amount match only if the request has them", function* () {
    const bare = yield* verify(payload())
    for (const field of ["remark", "amountInOrder", "isAmountMatched", "duplicate"]) {
      assert.notProperty(
        bare.data,
        field
      )
    }

    const same = yield* verify({ payload: payload(), remark: "โต๊ะ 7 ☕", matchAmount: 100 })
    assert.deepInclude(same.data, { remark: "โต๊ะ 7 ☕", amountInOrder: 100, isAmountMatched: true })
    const other = yield* verify({ payload: payload(), matchAmount: 100.01 })
    assert.deepInclude(other.data, { amountInOrder: 100.01, isAmountMatched: false })
  })

  it.effect("accepts checkDuplicate and matchAccount, and null for absent fields", function* () {
    const text = payload()
    yield* verify({ payload: text, checkDuplicate: false })
    const { data } = yield* verify({
      payload: text,
      checkDuplicate: false,
      matchAccount: true,
      image: null,
      url: null,
      remark: null,
      matchAmount: null,
      bankCode: null,
      unknown: { anything: [1] }
    })
    assert.isTrue(data.isDuplicate, "isDuplicate does not depend on checkDuplicate")
    assert.notProperty(data, "remark")
  })

  it.effect("reads booleans as languages write them, and sums of floating-point numbers", function* () {
    for (const value of [true, 1, "true", "True", "TRUE", "1", false, 0, "false", "False", "FALSE", "0"]) {
      const answer = yield* verify({ payload: payload(), matchAccount: value, checkDuplicate: value })
      const isTrue = [true, 1, "true", "True", "TRUE", "1"].includes(value)
      assert.strictEqual("match" in answer.data, isTrue, answer.text)
    }
    for (const sum of [69.9 + 29.9 + 0.2, 66.6 + 33.3 + 0.1]) {
      assert.notStrictEqual(sum, 100)
      const { data } = yield* verify({
        payload: payload(),
        matchAmount: sum,
        conditions: { amount: { equals: sum, atLeast: null } }
      })
      assert.deepInclude(data, { amountInOrder: 100, isAmountMatched: true, accepted: true })
    }
  })

  it.effect("accepts a slip that meets the conditions, and says why it does not accept another", function* () {
    const text = payload()
    const met = yield* verify({
      payload: text,
      conditions: { amount: { atLeast: 100, equals: null }, sendingBanks: ["004"], receivers: null }
    })
    assert.deepInclude(met.data, { accepted: true, reasons: [] })
    assert.notProperty(met.data, "policyVersion")
    const { data } = yield* verify({
      payload: text,
      matchAmount: 100.01,
      conditions: { sendingBanks: ["014"], transferredAt: { before: "2020-01-01T00:00:00+07:00" } }
    })
    assert.isFalse(data.accepted)
    assert.deepStrictEqual(data.reasons?.map(({ code }) => code), [
      "amount_differs",
      "transferred_too_late",
      "sending_bank_not_allowed",
      "duplicate"
    ])
    for (const { message } of data.reasons ?? []) assert.match(message, /^The .+\. [A-Z]/u)
  })

  it.effect("rejects conditions that it does not know or that contradict each other, beside other faults", function* () {
    const wrong = { amount: { equals: 1, atMost: 2 } }
    assertInvalid(yield* verify({ payload: payload(), conditions: wrong }), "conditions.amount.equals")
    assertInvalid(
      yield* verify({ payload: payload(), matchAmount: 1.001, conditions: { amounts: {} } }),
      "matchAmount",
      "conditions.amounts"
    )
  })

  it.effect("accepts banks with and without extraVerify", function* () {
    const banks = [
      { bankCode: "004" },
      { bankCode: "002", extraVerify: "NAME" },
      { bankCode: "PROMPTPAY", extraVerify: "NATID" }
    ]
    for (const fields of banks) {
      assert.strictEqual((yield* verify({ payload: payload(), ...fields })).status, 200)
    }
  })

  const images = [
    ["base64 in image", (png: Buffer) => ({ image: png.toString("base64") })],
    ["base64url in base64", (png: Buffer) => ({ base64: png.toString("base64url") })],
    ["a data URI in image", (png: Buffer) => ({ image: `data:image/png;base64,${png.toString("base64")}` })],
    ["a data URI that claims another type", (png: Buffer) => ({
      base64: `DATA:image/jpeg;name=slip.jpg;BASE64,${png.toString("base64")}`
    })],
    ["base64 in lines", (png: Buffer) => ({ image: png.toString("base64").replace(/.{76}/gu, "$&\r\n") })]
  ] as const
  for (const [title, body] of images) {
    it.effect(`reads the picture: ${title}`, function* () {
      const { png, transRef } = yield* Shop
      const answer = yield* verify(body(png))
      assert.strictEqual(answer.data?.rawSlip.transRef, transRef, answer.text)
    })
  }

  const notImages = [
    "!!!",
    "aGVsbG8",
    "=",
    "A",
    "%41",
    "data:image/png,abc",
    "data:image/png;base64",
    "data:",
    "aGV=sbG8=",
    "a".repeat(999)
  ]
  for (const image of notImages) {
    it.effect(`rejects ${JSON.stringify(image.slice(0, 30))} as an image`, function* () {
      for (const field of ["image", "base64"]) {
        assertFailure(yield* verify({ [field]: image }), 400, "INVALID_IMAGE_FORMAT", "File is not a valid image")
      }
    })
  }

  it.effect("rejects a picture of many spaces quickly", function* () {
    const image = `${" ".repeat(400_000)}!`
    assertFailure(yield* verify({ image }), 400, "INVALID_IMAGE_FORMAT", "File is not a valid image")
  })

  const invalid = [
    ["no source", {}, [""]],
    ["two sources", { payload: "a", url: "https://example.com/" }, [""]],
    ["three sources", { payload: "a", image: "aGk=", base64: "aGk=" }, [""]],
    ["an empty payload, which counts as absent", { payload: "" }, [""]],
    ["a payload that is too long", { payload: "0".repeat(129) }, ["payload"]],
    ["a payload of another type", { payload: 5 }, ["payload"]],
    ["a url of another type", { url: ["https://example.com/"] }, ["url"]],
    ["a url that is too long", { url: `https://example.com/${"a".repeat(2048)}` }, ["url"]],
    ["a remark that is too long", { payload: "a", remark: "r".repeat(256) }, ["remark"]],
    ["an amount of three decimals", { payload: "a", matchAmount: 1.005 }, ["matchAmount"]],
    ["an amount of zero", { payload: "a", matchAmount: 0 }, ["matchAmount"]],
    ["a negative amount", { payload: "a", matchAmount: -1 }, ["matchAmount"]],
    ["an amount with a separator", { payload: "a", matchAmount: "1,000" }, ["matchAmount"]],
    ["an amount above the limit", { payload: "a", matchAmount: 1e20 }, ["matchAmount"]],
    ["other texts than booleans", { payload: "a", matchAccount: "yes", checkDuplicate: 2 }, [
      "matchAccount",
      "checkDuplicate"
    ]],
    ["an amount that no sum of amounts is", { payload: "a", matchAmount: 100.000_000_1 }, ["matchAmount"]],
    ["a bank of another type", { payload: "a", bankCode: 4 }, ["bankCode"]],
    ["extraVerify without a bank", { payload: "a", extraVerify: "NAME" }, ["extraVerify"]],
    ["several faults", { payload: 5, remark: 1, matchAmount: -1 }, ["payload", "remark", "matchAmount"]]
  ] as const
  for (const [title, body, paths] of invalid) {
    it.effect(`names invalid fields: ${title}`, function* () {
      const answer = yield* verify(body)
      assertInvalid(answer, ...paths)
      assert.isBelow(answer.text.length, 1_000, "the answer does not echo the request")
    })
  }

  const urls = [
    ["/slip.png", "VALIDATION_ERROR"],
    ["slip.png", "VALIDATION_ERROR"],
    ["http://", "VALIDATION_ERROR"],
    ["http://[", "VALIDATION_ERROR"],
    ["https://user:secret@example.com/", "VALIDATION_ERROR"],
    ["https://user@example.com/", "VALIDATION_ERROR"],
    ["ftp://example.com/", "URL_PROTOCOL_NOT_ALLOWED"],
    ["file:///etc/passwd", "URL_PROTOCOL_NOT_ALLOWED"],
    ["javascript:alert(1)", "URL_PROTOCOL_NOT_ALLOWED"],
    ["gopher://127.0.0.1:6379/_x", "URL_PROTOCOL_NOT_ALLOWED"],
    ["http://127.0.0.1/", "URL_INVALID_IP_RANGE"],
    ["http://localhost/", "URL_INVALID_IP_RANGE"],
    ["http://2130706433/", "URL_INVALID_IP_RANGE"],
    ["http://0x7f.1/", "URL_INVALID_IP_RANGE"],
    ["http://[::1]/", "URL_INVALID_IP_RANGE"],
    ["http://[::ffff:10.0.0.1]/", "URL_INVALID_IP_RANGE"],
    ["http://169.254.169.254/latest/meta-data/", "URL_INVALID_IP_RANGE"],
    ["http://100.64.0.1/", "URL_INVALID_IP_RANGE"],
    ["HTTP://192.168.0.1:8080/a", "URL_INVALID_IP_RANGE"]
  ] as const
  for (const [url, code] of urls) {
    it.effect(`rejects the URL ${url} with ${code}`, function* () {
      const answer = yield* verify({ url })
      assert.deepStrictEqual([answer.status, answer.error?.code], [400, code], answer.text)
      assert.notInclude(answer.text, "secret")
      if (/^[a-z]+:/iu.test(url)) assert.strictEqual((yield* verify({ image: url })).error?.code, code)
    })
  }
})
