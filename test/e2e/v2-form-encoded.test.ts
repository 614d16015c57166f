import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { WALLET_RECEIVER } from "../../infrastructure/adapters/banks/sandbox/receivers.ts"
import { drawSandboxSlip } from "../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { httpServer } from "../infrastructure/adapters/egress/loopback.ts"
import { newSlip, type Verified } from "../support/client.ts"
import { RunningService } from "../support/service.ts"
import { assertFailure, assertInvalid } from "./assert-answer.ts"
import { layerShop, Shop } from "./given-shop.ts"

const URLENCODED = "application/x-www-form-urlencoded"

type Text = Readonly<Record<string, string>>

/** Sends fields as an urlencoded form. */
const send = Effect.fnUntraced(function* <Data = Text>(method: string, path: string, fields: Text) {
  const { call } = yield* RunningService
  return yield* call<Data>(method, path, { key: (yield* Shop).key, body: new URLSearchParams(fields) })
})

const sendText = Effect.fnUntraced(function* (path: string, body: string, type = URLENCODED) {
  const { call } = yield* RunningService
  return yield* call("POST", path, { key: (yield* Shop).key, body, headers: { "content-type": type } })
})

const walletPicture = Effect.gen(function* () {
  const { payload } = newSlip({ bank: "TRUEMONEY", receiver: WALLET_RECEIVER.index })
  return Buffer.from(yield* drawSandboxSlip({ payload }))
})

const settings = { EGRESS_ALLOW_CIDRS: "127.0.0.1/32", EGRESS_HOSTS: "shop.example=93.184.215.14" }

layer.live(layerShop(settings))("an urlencoded form", (it) => {
  it.effect("verifies a payload, with numbers, booleans and conditions as text", function* () {
    const answer = yield* send<Verified>("POST", "/v2/verify/bank", {
      payload: newSlip().payload,
      remark: "โต๊ะ 7 ☕ & 1+1=2",
      matchAmount: "100.00",
      matchAccount: "True",
      checkDuplicate: "0",
      conditions: JSON.stringify({ amount: { equals: 100 } }),
      url: "",
      unknown: "ignored"
    })
    assert.strictEqual(answer.status, 200, answer.text)
    assert.deepInclude<unknown>(answer.data, {
      remark: "โต๊ะ 7 ☕ & 1+1=2",
      amountInOrder: 100,
      isAmountMatched: true,
      accepted: false
    })
    const { reasons } = answer.data
    assert.deepStrictEqual(reasons?.map(({ code }) => code), ["receiver_differs"], "the branch has no account")
  })

  it.effect("verifies a picture as base64, and a TrueMoney slip", function* () {
    const { payload, transRef } = newSlip()
    const image = Buffer.from(yield* drawSandboxSlip({ payload })).toString("base64")
    const bank = yield* send<{ readonly rawSlip: Text }>("POST", "/v2/verify/bank", { image })
    assert.strictEqual(bank.data.rawSlip["transRef"], transRef, bank.text)
    const base64 = (yield* walletPicture).toString("base64")
    const wallet = yield* send("POST", "/v2/verify/truewallet", { base64, matchAmount: "100" })
    assert.deepInclude<unknown>(wallet.data, { isAmountMatched: true }, wallet.text)
  })

  it.effect("enqueues slips of both kinds, and reads a payload offline", function* () {
    const picture = yield* walletPicture
    const server = yield* httpServer((_, response) => response.end(picture))
    const bank = yield* send("POST", "/v2/verify/bank/async", {
      payload: newSlip().payload,
      matchAmount: "100",
      callbackUrl: "https://shop.example/told"
    })
    assert.deepStrictEqual([bank.status, bank.data["status"]], [202, "pending"], bank.text)
    const url = `http://127.0.0.1:${server.port}/slip.png`
    const wallet = yield* send("POST", "/v2/verify/truewallet/async", { url, matchAccount: "1" })
    assert.strictEqual(wallet.status, 202, wallet.text)
    const decoded = yield* send("POST", "/v2/decode", { payload: newSlip().payload })
    assert.strictEqual(decoded.status, 200, decoded.text)
  })

  it.effect("registers and changes a bank account, and changes the webhook and its secret", function* () {
    const fields = { bankCode: "004", bankNumber: "012-3-45678-9", nameTh: "นาย สมชาย ใจดี", nameEn: "" }
    const created = yield* send("POST", "/v2/bank-accounts", fields)
    assert.strictEqual(created.status, 201, created.text)
    assert.deepInclude<unknown>(created.data, { bankNumber: "0123456789", nameTh: "นาย สมชาย ใจดี", nameEn: null })
    const path = `/v2/bank-accounts/${created.data["id"]}`
    const changed = yield* send("PATCH", path, { nameEn: "MR SOMCHAI", type: "PERSONAL" })
    assert.deepInclude(changed.data, { nameEn: "MR SOMCHAI", type: "PERSONAL", nameTh: "นาย สมชาย ใจดี" })
    const kept = yield* send("PATCH", path, { nameEn: "" })
    assert.deepInclude(kept.data, { nameEn: "MR SOMCHAI" }, "an empty field counts as absent")

    const webhook = yield* send("PUT", "/v2/webhook", { url: "https://shop.example/told?a=1&b=2" })
    assert.deepStrictEqual(webhook.data, { url: "https://shop.example/told?a=1&b=2" })
    assertInvalid(yield* send("PUT", "/v2/webhook", { url: "" }), "url")
    const rotated = yield* send("POST", "/v2/webhook/secret/rotate", { overlapSeconds: "60" })
    const { effectiveAt = "", previousExpiresAt = "" } = rotated.data
    assert.strictEqual(Date.parse(previousExpiresAt) - Date.parse(effectiveAt), 60_000, rotated.text)
    assert.strictEqual((yield* send("POST", "/v2/webhook/secret/rotate", {})).status, 200)
  })

  it.effect("is refused where a batch is expected", function* () {
    for (const path of ["/v2/verify/bank/batch", "/v2/verify/truewallet/batch"]) {
      assertInvalid(yield* send("POST", path, { slips: JSON.stringify([{ payload: newSlip().payload }]) }), "")
    }
  })

  it.effect("names the fields that are wrong", function* () {
    const verify = (fields: Text) => send("POST", "/v2/verify/bank", { payload: "a", ...fields })
    assertInvalid(yield* verify({ matchAmount: "1.005" }), "matchAmount")
    for (const matchAmount of ["1e3", "1,000", "NaN", "-1", "0", "ten"]) {
      assertInvalid(yield* verify({ matchAmount }), "matchAmount")
    }
    assertInvalid(yield* verify({ matchAccount: "yes", checkDuplicate: "2" }), "matchAccount", "checkDuplicate")
    assertInvalid(yield* verify({ conditions: "{" }), "conditions")
    assertInvalid(yield* verify({ conditions: "[".repeat(8_000) }), "conditions")
    assertInvalid(yield* verify({ "conditions[amount][equals]": "100" }), "conditions")
    assertInvalid(yield* verify({ file: "a" }), "file")
    assertInvalid(yield* send("POST", "/v2/verify/bank", {}), "")
    assertInvalid(yield* send("POST", "/v2/bank-accounts", { bankCode: "004" }), "bankNumber", "nameTh")
    assertInvalid(yield* send("POST", "/v2/webhook/secret/rotate", { overlapSeconds: "1.5" }), "overlapSeconds")
  })

  it.effect("is refused as a whole when a field is twice, there are too many, or it is not UTF-8", function* () {
    const path = "/v2/verify/bank"
    assertInvalid(yield* sendText(path, "payload=a&payload=b"), "")
    assertInvalid(yield* sendText(path, `payload=a${"&b=1".repeat(100)}`), "")
    assertInvalid(yield* sendText(path, "payload=a&remark=%A1%D2"), "")
    assertInvalid(yield* sendText(path, "payload=a", `${URLENCODED}+json-not`), "")
    for (const body of ["", "&&&", "=", "%", "{}"]) assertInvalid(yield* sendText(path, body), "")
    for (const type of [`${URLENCODED}; charset=UTF-8`, URLENCODED.toUpperCase()]) {
      assert.strictEqual((yield* sendText("/v2/decode", `payload=${newSlip().payload}`, type)).status, 200)
    }
  })

  it.effect("has the limits of a body for one slip", function* () {
    const image = (bytes: number) => Buffer.alloc(bytes).toString("base64").replaceAll("=", "")
    const tooLarge = yield* send("POST", "/v2/verify/bank", { image: image(4_194_306) })
    assertFailure(tooLarge, 400, "IMAGE_SIZE_TOO_LARGE", "Image exceeds 4MB limit")
    const body = `payload=${"a".repeat(6 * 1024 * 1024)}`
    assertFailure(yield* sendText("/v2/verify/bank", body), 400, "IMAGE_SIZE_TOO_LARGE", "Image exceeds 4MB limit")
  })
})
