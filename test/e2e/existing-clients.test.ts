import { assert, layer } from "../support/it.ts"
import { Context, Effect, Layer } from "effect"
import type { BankAccountView } from "../../application/views/bank-account.ts"
import type { info } from "../../application/provisioning/info.ts"
import type { rawSlip } from "../../application/verification/verification-view.ts"
import { satang } from "../../domain/money.ts"
import { drawSandboxSlip } from "../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { httpServer } from "../infrastructure/adapters/egress/loopback.ts"
import { newSlip, type Verified } from "../support/client.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { axios, clientOf, go, nodeFetch, phpCurl, pythonRequests, type Read } from "./http-libraries.ts"

/** The types with which clients of v1 and v2 parse answers. */
interface V1<Data = ReturnType<typeof rawSlip>> {
  readonly status: number
  readonly message?: string
  readonly data?: Data
}
interface V2<Data = Verified> {
  readonly success: boolean
  readonly data?: Data
  readonly message?: string
  readonly error?: { readonly code: string; readonly message: string }
}

/** A new slip of 999 baht, with its picture. */
const draw = Effect.fnUntraced(function* () {
  const slip = newSlip({ amount: satang(999_00) })
  return { ...slip, file: Buffer.from(yield* drawSandboxSlip(slip)) }
})

/** A client with a slip that several tests send, and the URL of its picture. */
class Shop extends Context.Service<
  Shop,
  ReturnType<typeof clientOf> & {
    readonly slip: Effect.Success<ReturnType<typeof draw>>
    readonly imageUrl: string
  }
>()("test/Shop") {}

const layerShop = Layer.effect(
  Shop,
  Effect.gen(function* () {
    const { baseUrl, createService } = yield* RunningService
    const { mainBranch } = yield* createService({ quota: 1_000 })
    const slip = yield* draw()
    const { port } = yield* httpServer((_, response) => response.end(slip.file))
    return Shop.of({ ...clientOf(baseUrl, mainBranch.apiKey), slip, imageUrl: `http://images.test:${port}/slip.jpg` })
  })
).pipe(
  Layer.provideMerge(layerRunningService({
    EGRESS_ALLOW_CIDRS: "127.0.0.1/32",
    EGRESS_HOSTS: "images.test=127.0.0.1"
  }))
)

const libraries = [axios, nodeFetch, pythonRequests, phpCurl, go]

/** A TrueMoney Wallet slip's QR text. */
const WALLET = "00490002010102010203P2P0314500000000000000408211120269104f7b9"

/** Reads the fields of a slip in the same ways as clients of v1. */
const assertRead = ({ json: { data, status }, ...answer }: Read<V1>, transRef: string) => {
  assert.deepStrictEqual([answer.status, status], [200, 200], JSON.stringify(data))
  assert.strictEqual(data?.transRef, transRef)
  assert.strictEqual(Number(data?.amount?.amount), 999)
  assert.isFalse(Number.isNaN(Date.parse(data?.date ?? "")))
  assert.strictEqual(data?.sender?.bank?.short, "KBANK")
  assert.strictEqual(data?.receiver?.account?.name?.th || data?.receiver?.account?.name?.en, "นาย สมหมาย ท")
  assert.strictEqual(data?.receiver?.account?.bank?.account, "xxx-x-x1234-x")
}

const VERIFY = "/api/v1/verify"

layer.live(layerShop)("a client of v1, at /api/v1,", (it) => {
  for (const library of libraries) {
    it.effect(`sends a picture as file with ${library.name}`, function* () {
      const { form, slip: { file, transRef } } = yield* Shop
      assertRead(yield* form<V1>(library, VERIFY, [["file", file]]), transRef)
    })
  }

  it.effect("sends checkDuplicate with a form, and reads the slip from a duplicate", function* () {
    const { form } = yield* Shop
    const { file, transRef } = yield* draw()
    const parts = [["file", file], ["checkDuplicate", "true"]] as const
    assertRead(yield* form<V1>(nodeFetch, VERIFY, parts), transRef)

    const { json, status } = yield* form<V1>(axios, VERIFY, parts)
    assert.deepStrictEqual([status, json.status, json.message], [400, 400, "duplicate_slip"])
    assert.deepStrictEqual([json.data?.transRef, json.data?.amount.amount], [transRef, 999])
  })

  it.effect("sends JSON: base64 or a data URI in image or data, a URL in url", function* () {
    const { imageUrl, json, slip: { file, transRef } } = yield* Shop
    const base64 = file.toString("base64")
    const bodies = [
      { image: base64, checkDuplicate: false },
      { image: `data:image/jpeg;base64,${base64}` },
      { data: `data:image/png;base64,${base64}`, checkDuplicate: false },
      { url: imageUrl, checkDuplicate: false },
      { url: imageUrl }
    ]
    for (const [index, body] of bodies.entries()) {
      assertRead(yield* json<V1>(index % 2 === 0 ? go : axios, VERIFY, body), transRef)
    }
  })

  it.effect("sends a payload in the query, also one from an earlier answer", function* () {
    const { form, get, slip: { file, payload, transRef } } = yield* Shop
    const query = `payload=${encodeURIComponent(payload)}&checkDuplicate=false`
    assertRead(yield* get<V1>(axios, `${VERIFY}?${query}`), transRef)

    const earlier = yield* form<V1>(axios, VERIFY, [["file", file]])
    assertRead(yield* get<V1>(nodeFetch, `/v1/verify?payload=${earlier.json.data?.payload}`), transRef)
  })

  it.effect("decides by message, also for the wallet operation, and gets 404 for creating QR codes", function* () {
    const { form, get, json, slip: { file } } = yield* Shop
    const unknown = yield* get<V1>(axios, `${VERIFY}?payload=${newSlip({ outcome: "not-found" }).payload}`)
    assert.deepStrictEqual([unknown.status, unknown.json], [404, { status: 404, message: "slip_not_found" }])

    const atBank = yield* json<V1>(axios, VERIFY, { payload: WALLET })
    assert.deepStrictEqual([atBank.status, atBank.json.message], [400, "invalid_payload"])
    for (const path of ["/api/v1/verify/truewallet", "/v1/verify/truewallet"]) {
      const { json, status } = yield* form<V1>(axios, path, [["file", file]])
      assert.deepStrictEqual([status, json], [400, { status: 400, message: "invalid_payload" }])
    }
    const made = yield* form<V1>(axios, "/api/v1/qr/generate", [["file", file]])
    assert.deepStrictEqual([made.status, made.json], [404, { status: 404, message: "not_found" }])
    const decoded = yield* json<V2<{ readonly kind: string }>>(axios, "/v2/decode", { payload: WALLET })
    assert.strictEqual(decoded.json.data?.kind, "truemoney")
  })

  it.effect("reads its quota", function* () {
    const { get } = yield* Shop
    const { json, status } = yield* get<V1<{ readonly maxQuota: number }>>(pythonRequests, "/api/v1/me")
    assert.deepStrictEqual([status, json.status, json.data?.maxQuota], [200, 200, 1_000])
  })
})

const BANK = "/v2/verify/bank"

const verdictOf = ({ json, status }: Read<V2>): Verified => {
  assert.deepStrictEqual([status, json.success], [200, true], JSON.stringify(json))
  return json.data ?? assert.fail("a success without data")
}

layer.live(layerShop)("a client of v2", (it) => {
  it.effect("registers its bank account, and gets the account match of a slip", function* () {
    const { form, json, slip } = yield* Shop
    const account = { bankCode: "004", bankNumber: "999-0-01234-5", nameTh: "นาย สมหมาย ทดสอบ", type: "PERSONAL" }
    const registration = { ...account, nameEn: "MR. SOMMAI THOTSOP" }
    const made = yield* json<V2<BankAccountView>>(axios, "/v2/bank-accounts", registration)
    assert.deepStrictEqual([made.status, made.json.success, made.json.data?.bankNumber], [201, true, "9990012345"])
    const twice = yield* json<V2>(axios, "/v2/bank-accounts", account)
    assert.deepStrictEqual([twice.status, twice.json.error?.code], [409, "BANK_ACCOUNT_DUPLICATE"])

    for (const library of libraries) {
      const data = verdictOf(
        yield* form<V2>(library, BANK, [
          ["image", slip.file],
          ["matchAmount", "999.00"],
          ["matchAccount", "true"],
          ["checkDuplicate", "false"]
        ])
      )
      const { matchedAccount, rawSlip } = data
      assert.deepInclude(data, { amountInOrder: 999, amountInSlip: 999, isAmountMatched: true }, library.name)
      assert.strictEqual(matchedAccount?.bankNumber, account.bankNumber.replace(/[\s-]/gu, ""))
      assert.deepStrictEqual([matchedAccount?.bank.code, matchedAccount?.nameTh], ["004", account.nameTh])
      assert.strictEqual(rawSlip.transRef, slip.transRef)
      assert.strictEqual(rawSlip.receiver.account.name.th, "นาย สมหมาย ท")
    }
  })

  it.effect("falls back to the proxy of a slip whose account number is empty", function* () {
    const { payload } = newSlip({ receiver: 3 })
    const { account, bank } = verdictOf(yield* (yield* Shop).json<V2>(axios, BANK, { payload })).rawSlip.receiver
    assert.strictEqual(account.bank.account || account.proxy?.account, "xxx-xxx-2468")
    assert.strictEqual(bank.id, "")
  })

  it.effect("names the form's file field file, as in v1", function* () {
    const { form, slip } = yield* Shop
    const data = verdictOf(yield* form<V2>(nodeFetch, BANK, [["file", slip.file]]))
    assert.strictEqual(data.rawSlip.transRef, slip.transRef)
  })

  it.effect("sends JSON: base64, url or payload, and null for missing fields", function* () {
    const { imageUrl, json, slip: { file, payload, transRef } } = yield* Shop
    const base64 = file.toString("base64")
    const bodies = [
      { base64, checkDuplicate: true },
      { base64: `data:image/jpeg;base64,${base64}`, checkDuplicate: true },
      { url: imageUrl, checkDuplicate: true },
      { payload, checkDuplicate: false, matchAccount: false },
      { payload, remark: "Order #12345", matchAccount: true, matchAmount: 999, checkDuplicate: true },
      { payload, base64: null, url: null, remark: null, matchAmount: null }
    ]
    const answers = yield* Effect.forEach(bodies, (body) => json<V2>(pythonRequests, BANK, body))
    for (const answer of answers) assert.strictEqual(verdictOf(answer).rawSlip.transRef, transRef)
    assert.deepInclude(answers.at(-2)?.json.data, { remark: "Order #12345", isAmountMatched: true })
  })

  it.effect("gets isDuplicate regardless of checkDuplicate", function* () {
    const { json } = yield* Shop
    const { payload } = newSlip()
    const requests = [false, undefined, false, true].map((checkDuplicate) =>
      json<V2>(axios, BANK, { payload, checkDuplicate })
    )
    const duplicates = (yield* Effect.all(requests)).map((answer) => verdictOf(answer).isDuplicate)
    assert.deepStrictEqual(duplicates, [false, true, true, true])
  })

  it.effect("decides by code, also for unknown operations", function* () {
    const { form, json, slip: { file } } = yield* Shop
    const pending = yield* json<V2>(axios, BANK, { payload: newSlip({ outcome: "pending" }).payload })
    assert.match(pending.headers["retry-after"] ?? "", /^[1-9]\d*$/u)
    const failures = [
      [pending, 404, "SLIP_PENDING"],
      [yield* json<V2>(axios, BANK, { payload: newSlip({ outcome: "not-found" }).payload }), 404, "SLIP_NOT_FOUND"],
      [yield* json<V2>(axios, BANK, { payload: WALLET }), 404, "SLIP_NOT_FOUND"],
      [yield* json<V2>(axios, BANK, { payload: newSlip().payload, matchAmount: 0.125 }), 400, "VALIDATION_ERROR"],
      [yield* form<V2>(axios, BANK, [["image", Buffer.from("no picture")]]), 400, "INVALID_IMAGE_FORMAT"],
      [yield* form<V2>(axios, BANK, [["file", file], ["payload", "{}"]]), 400, "VALIDATION_ERROR"],
      [yield* form<V2>(axios, "/v2/verify/truewallet", [["image", file]]), 400, "WRONG_SLIP_KIND"]
    ] as const
    for (const [answer, status, code] of failures) {
      assert.deepStrictEqual([answer.status, answer.json.success, answer.json.error?.code], [status, false, code])
    }
  })

  it.effect("retries with an Idempotency-Key, and gets the same answer", function* () {
    const { form } = yield* Shop
    const { file } = yield* draw()
    const attempt = (boundary: string) =>
      form<V2>({ ...axios, boundary }, BANK, [["image", file], ["matchAmount", "999"]], ["Idempotency-Key: order-42"])
    const first = yield* attempt(axios.boundary)
    const again = yield* attempt(axios.boundary.replace("0148", "9037"))
    assert.isFalse(verdictOf(again).isDuplicate)
    assert.deepStrictEqual(again.json, first.json)
    assert.strictEqual(again.headers["idempotent-replayed"], "true")
  })

  it.effect("reads its own data and the banks", function* () {
    const { get } = yield* Shop
    type Info = Effect.Success<ReturnType<typeof info>>
    const ownInfo = (yield* get<V2<Info>>(axios, "/v2/info")).json.data
    assert.deepStrictEqual([ownInfo?.application.quota.max, ownInfo?.branch.isActive], [1_000, true])
    const banks = yield* get<V2<ReadonlyArray<{ readonly code: string }>>>(axios, "/v2/banks")
    assert.isTrue(banks.json.data?.some(({ code }) => code === "004"))
    assert.strictEqual((yield* get<V2>(go, "/v2/health")).status, 200)
  })
})
