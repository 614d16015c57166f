import { assert, layer } from "../support/it.ts"
import { Context, Effect, Layer } from "effect"
import type { verifyWalletData } from "../../application/verification/verification-view.ts"
import { WALLET_RECEIVER } from "../../infrastructure/adapters/banks/sandbox/receivers.ts"
import { drawSandboxSlip } from "../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { makeSlipTrail, type VerifyWalletData } from "../../sdk/client/sliptrail.ts"
import { httpServer } from "../infrastructure/adapters/egress/loopback.ts"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { assertFailure, assertInvalid } from "./assert-answer.ts"

const PATH = "/v2/verify/truewallet"

/** The pictures of a TrueMoney slip and of a bank's slip. */
class Pictures extends Context.Service<Pictures, {
  readonly wallet: Buffer<ArrayBuffer>
  readonly transactionId: string
  readonly bank: Buffer<ArrayBuffer>
}>()("test/Pictures") {}

const draw = Effect.fnUntraced(function* (payload: string) {
  return Buffer.from(yield* drawSandboxSlip({ payload }))
})

const layerPictures = Layer.effect(
  Pictures,
  Effect.gen(function* () {
    const wallet = newSlip({ bank: "TRUEMONEY", receiver: WALLET_RECEIVER.index })
    return Pictures.of({
      wallet: yield* draw(wallet.payload),
      transactionId: wallet.transRef.slice("TW".length),
      bank: yield* draw(newSlip().payload)
    })
  })
)

type Data = ReturnType<typeof verifyWalletData>

/** The QR text of a TrueMoney slip. */
const WALLET_TEXT = "00490002010102010203P2P0314500000000000000408211120269104f7b9"
const WALLET_DETAIL = "This is a TrueMoney slip. Send its picture to POST /v2/verify/truewallet"

const formOf = (
  name: string,
  picture: Buffer<ArrayBuffer>,
  fields: Readonly<Record<string, string>> = {}
): FormData => {
  const form = new FormData()
  form.append(name, new Blob([picture]), "slip.png")
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  return form
}

const given = Effect.fnUntraced(function* (fields: object = {}) {
  const { admin, baseUrl, call, createService } = yield* RunningService
  const { mainBranch: { apiKey: key } } = yield* createService(fields)
  const pictures = yield* Pictures
  const post = <A = Data>(body: unknown, path = PATH, headers: Readonly<Record<string, string>> = {}) =>
    call<A>("POST", path, { key, body, headers })
  return { admin, baseUrl, key, post, call, ...pictures }
})

const env = { EGRESS_ALLOW_CIDRS: "127.0.0.1/32" }

layer.live(Layer.provideMerge(layerPictures, layerRunningService(env)))("a TrueMoney slip", (it) => {
  it.effect("is verified from its picture, and is a duplicate afterwards, also for v1", function* () {
    const { call, key, post, transactionId, wallet } = yield* given({ quota: 1 })
    const first = yield* post(formOf("image", wallet, { matchAmount: "100.00", remark: "order 42" }))
    assert.strictEqual(first.status, 200, first.text)
    assert.strictEqual(first.message, "TrueMoney slip verified")
    const { verificationId, ...data } = first.data
    assert.isNotEmpty(verificationId)
    assert.deepInclude(data, { isDuplicate: false, amountInSlip: 100, isAmountMatched: true, remark: "order 42" })
    assert.deepInclude(data.rawSlip, {
      transactionId,
      amount: 100,
      receiver: { name: WALLET_RECEIVER.name, phone: WALLET_RECEIVER.phone }
    })

    const again = yield* post({ base64: wallet.toString("base64") })
    assert.deepInclude(again.data, { isDuplicate: true, rawSlip: data.rawSlip })
    const v1 = (checkDuplicate: string) =>
      call("POST", "/api/v1/verify/truewallet", { key, body: formOf("file", wallet, { checkDuplicate }) })
    const allowed: unknown = JSON.parse((yield* v1("false")).text)
    assert.deepStrictEqual(allowed, { status: 200, data: data.rawSlip })
    const refused: unknown = JSON.parse((yield* v1("true")).text)
    assert.deepStrictEqual(refused, { status: 400, message: "duplicate_slip", data: data.rawSlip })
  })

  it.effect("is compared with the branch's PromptPay account of its phone number", function* () {
    const { post, wallet } = yield* given()
    const account = { bankCode: "PROMPTPAY", bankNumber: "0700002468", nameTh: "สุขใจ", extraVerify: "MSISDN" }
    const created = yield* post({ ...account }, "/v2/bank-accounts")
    assert.strictEqual(created.status, 201, created.text)
    const { data } = yield* post(formOf("image", wallet, { matchAccount: "true" }))
    assert.strictEqual(data.match?.account, "match", JSON.stringify(data.match))
    assert.strictEqual(data.matchedAccount?.bankNumber, "0700002468")
  })

  it.effect("is replayed byte for byte under an Idempotency-Key", function* () {
    const { post, wallet } = yield* given()
    const headers = { "idempotency-key": "order 42" }
    const first = yield* post(formOf("image", wallet), PATH, headers)
    const again = yield* post(formOf("image", wallet), PATH, headers)
    assert.deepStrictEqual([again.status, again.text], [200, first.text])
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
  })

  it.effect("is sent to the other endpoint by a clear code, and so is a bank's slip", function* () {
    const { bank, call, key, post, wallet } = yield* given()
    const toWallet = [404, "SLIP_NOT_FOUND", "Slip not found or invalid", WALLET_DETAIL] as const
    const toBank = [
      400,
      "WRONG_SLIP_KIND",
      "This is the slip of a bank. Send it to POST /v2/verify/bank",
      undefined
    ] as const
    for (
      const [answer, [status, code, message, detail]] of [
        [yield* post(formOf("image", wallet), "/v2/verify/bank"), toWallet],
        [
          yield* post({ payload: WALLET_TEXT }, "/v2/verify/bank"),
          toWallet
        ],
        [yield* post(formOf("image", bank)), toBank]
      ] as const
    ) {
      assertFailure(answer, status, code, message, detail)
    }
    const v1 = yield* call("POST", "/v1/verify/truewallet", { key, body: formOf("file", bank) })
    assert.deepStrictEqual(JSON.parse(v1.text), { status: 400, message: "invalid_payload" })
    const text = yield* call("POST", "/v1/verify", { key, body: { payload: WALLET_TEXT } })
    assert.deepStrictEqual(JSON.parse(text.text), { status: 400, message: "invalid_payload" })
  })

  it.effect("needs exactly one picture", function* () {
    const { call, key, post, wallet } = yield* given()
    const payload = newSlip({ bank: "TRUEMONEY" }).payload
    const text = yield* post({ payload })
    assertInvalid(text, "payload")
    assert.match(text.error?.issues?.[0]?.message ?? "", /send its picture/u)
    for (const body of [{}, { url: "https://shop.example/a.png", base64: wallet.toString("base64") }]) {
      assertInvalid(yield* post(body), "")
    }
    const v1 = yield* call("POST", "/v1/verify/truewallet", { key, body: { payload } })
    assert.deepStrictEqual(JSON.parse(v1.text), { status: 400, message: "invalid_request" })
  })

  it.effect("is verified later by the URL of its picture, alone and in a batch", function* () {
    const { admin, baseUrl, key, transactionId, wallet } = yield* given()
    const server = yield* httpServer((_, response) => response.end(wallet))
    const client = makeSlipTrail({ baseUrl, apiKey: key })
    const now = yield* Effect.promise(() => client.verifyWallet({ url: server.url, matchAmount: 100 }))
    assert.strictEqual(now.rawSlip.transactionId, transactionId)

    const { jobId } = yield* Effect.promise(() => client.verifyWalletAsync({ url: server.url, remark: "order 42" }))
    const { jobs } = yield* Effect.promise(() => client.verifyWalletBatch({ slips: [{ url: server.url }] }))
    for (const id of [jobId, jobs[0]?.jobId ?? ""]) {
      const job = yield* eventually(
        Effect.promise(() => client.job<VerifyWalletData>(id)),
        ({ status }) => status !== "pending"
      )
      assert(job.status === "success", JSON.stringify(job))
      assert.strictEqual(job.data.rawSlip.transactionId, transactionId)
      assert.isTrue(job.data.isDuplicate)
    }

    const erased = yield* admin("POST", "/forget", { job: jobId })
    assert.strictEqual(erased.status, 200, erased.text)
    const job = yield* Effect.promise(() => client.job<VerifyWalletData>(jobId))
    assert(job.status === "success", JSON.stringify(job))
    assert.isTrue(job.data.isForgotten)
    assert.sameMembers(Object.keys(job.data.rawSlip), Object.keys(now.rawSlip))
    assert.deepInclude(job.data.rawSlip, { amount: 100, sender: { name: "" }, receiver: { name: "", phone: "" } })
  })

  it.effect("is not verified later from an uploaded picture, which would have to be stored", function* () {
    const { post, wallet } = yield* given()
    const image = wallet.toString("base64")
    assertInvalid(yield* post({ image }, `${PATH}/async`), "image")
    const url = "https://shop.example/a.png"
    assertInvalid(yield* post({ slips: [{ url }, { base64: image }] }, `${PATH}/batch`), "slips.1.base64")
  })

  it.effect("is named by the offline look at its QR code", function* () {
    const { post, transactionId, wallet } = yield* given()
    const { data } = yield* post<object>(formOf("image", wallet), "/v2/decode")
    assert.deepInclude(data, { kind: "truemoney", transRef: transactionId, sendingBank: null, crc: "ok" })
  })
})
