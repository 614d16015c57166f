import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import type { BankAccountView } from "../../application/views/bank-account.ts"
import { satang } from "../../domain/money.ts"
import { newSlip, type Verified } from "../support/client.ts"
import { RunningService } from "../support/service.ts"
import { assertFailure, assertInvalid, assertV1Failure } from "./assert-answer.ts"
import { layerShop, Shop } from "./given-shop.ts"

const send = Effect.fnUntraced(function* <Data = Verified>(method: string, path: string, body?: unknown) {
  const { call } = yield* RunningService
  return yield* call<Data>(method, path, { key: (yield* Shop).key, body })
})

const verify = (body: unknown) => send("POST", "/v2/verify/bank", body)

const multipart = (fields: Readonly<Record<string, string>>): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}

const amounts = ["1500.50", "1500.5", " 1500.50 ", "\t1500.50\n", "1500.500", "01500.50", "1500.5000000001"]

const noAmounts = [
  "1,500.50",
  "1.500,50",
  "1 500.50",
  "1e3",
  "1.5e3",
  "NaN",
  "Infinity",
  "٣",
  "１５００",
  "๑๕๐๐",
  "-1500.50",
  "+1500.50",
  "1500.505",
  "1500.",
  ".5",
  "0x10",
  "฿1500",
  "1500 บาท",
  "ten",
  "9".repeat(400),
  "\u200b1500"
]

layer.live(layerShop({ EGRESS_HOSTS: "shop.example=93.184.215.14" }))("an amount as text", (it) => {
  it.effect("is the same in JSON, in both encodings of a form, in conditions, and in a query", function* () {
    const { payload } = newSlip({ amount: satang(1_500_50) })
    for (const matchAmount of amounts) {
      const encodings = [
        { payload, matchAmount },
        new URLSearchParams({ payload, matchAmount }),
        multipart({ payload, matchAmount })
      ]
      for (const body of encodings) {
        const { data, text } = yield* verify(body)
        assert.deepInclude(data, { amountInOrder: 1500.5, isAmountMatched: true }, text)
      }
      const conditions = { amount: { equals: matchAmount }, duplicate: "allow" }
      for (
        const body of [
          { payload, conditions },
          new URLSearchParams({ payload, conditions: JSON.stringify(conditions) })
        ]
      ) {
        const { data, text } = yield* verify(body)
        assert.strictEqual(data.accepted, true, text)
      }
      const query = `minAmount=${encodeURIComponent(matchAmount)}&maxAmount=${encodeURIComponent(matchAmount)}`
      const { status, text } = yield* send("GET", `/v2/verifications?${query}`)
      assert.strictEqual(status, 200, text)
    }
  })

  it.effect("of any other form is refused in all of them", function* () {
    const { payload } = newSlip()
    for (const matchAmount of noAmounts) {
      assertInvalid(yield* verify({ payload, matchAmount }), "matchAmount")
      assertInvalid(yield* verify(new URLSearchParams({ payload, matchAmount })), "matchAmount")
      assertInvalid(yield* verify(multipart({ payload, matchAmount })), "matchAmount")
      const conditions = { amount: { atLeast: matchAmount } }
      assertInvalid(yield* verify({ payload, conditions }), "conditions.amount.atLeast")
      assertInvalid(
        yield* verify(new URLSearchParams({ payload, conditions: JSON.stringify(conditions) })),
        "conditions.amount.atLeast"
      )
      assertInvalid(
        yield* send("GET", `/v2/verifications?minAmount=${encodeURIComponent(matchAmount)}`),
        "minAmount"
      )
    }
    for (const matchAmount of [true, [1], { baht: 1 }]) {
      assertInvalid(yield* verify({ payload, matchAmount }), "matchAmount")
    }
  })

  it.effect("is read in each slip of a batch, and in the policy of a branch", function* () {
    const slips = [{ payload: newSlip().payload, matchAmount: "100.00" }]
    const accepted = yield* send("POST", "/v2/verify/bank/batch", { slips })
    assert.strictEqual(accepted.status, 202, accepted.text)
    const refused = [...slips, { payload: newSlip().payload, matchAmount: "1,000" }]
    assertInvalid(yield* send("POST", "/v2/verify/bank/batch", { slips: refused }), "slips.1.matchAmount")

    const { admin, createService } = yield* RunningService
    const { mainBranch: { id } } = yield* createService()
    const path = `/branches/${id}/policy`
    const policy = yield* admin<object>("PUT", path, { amount: { atLeast: " 100.50 " } })
    assert.deepInclude(policy.data, { conditions: { amount: { atLeast: 100.5 } } }, policy.text)
    assertInvalid(yield* admin("PUT", path, { amount: { atLeast: "1,000" } }), "amount.atLeast")
  })
})

layer.live(layerShop({ EGRESS_HOSTS: "shop.example=93.184.215.14" }))("an empty text", (it) => {
  it.effect("in the JSON of a POST of v2 counts as absent", function* () {
    const { payload } = newSlip()
    const empty = {
      image: "",
      base64: "",
      url: "",
      remark: "",
      matchAmount: "",
      matchAccount: "",
      bankCode: "",
      extraVerify: "",
      conditions: "",
      checkDuplicate: "",
      unknown: ""
    }
    const { data, status, text } = yield* verify({ payload, ...empty })
    assert.strictEqual(status, 200, text)
    for (const name of ["remark", "amountInOrder", "match", "accepted"]) assert.notProperty(data, name)
    assertInvalid(yield* verify({ ...empty, payload: "" }), "")

    const later = { payload, ...empty, callbackUrl: "" }
    const job = yield* send("POST", "/v2/verify/bank/async", later)
    assert.strictEqual(job.status, 202, job.text)
    const batch = yield* send("POST", "/v2/verify/bank/batch", { slips: [later], callbackUrl: "" })
    assert.strictEqual(batch.status, 202, batch.text)
    const decoded = yield* send("POST", "/v2/decode", { payload, image: "", url: "" })
    assert.strictEqual(decoded.status, 200, decoded.text)
    const key = yield* send<object>("POST", "/v2/keys", {
      name: "Till",
      scopes: ["read"],
      expiresAt: "",
      networks: ""
    })
    assert.deepInclude<unknown>(key.data, { expiresAt: null, networks: null }, key.text)
    assertInvalid(yield* send("POST", "/v2/keys", { name: "", scopes: "" }), "name", "scopes")
    const rotated = yield* send("POST", "/v2/webhook/secret/rotate", { overlapSeconds: "" })
    assert.strictEqual(rotated.status, 200, rotated.text)
  })

  it.effect("inside an object is an error, as in the JSON of a form", function* () {
    const { payload } = newSlip()
    const conditions = { amount: { equals: "" } }
    assertInvalid(yield* verify({ payload, conditions }), "conditions.amount.equals")
    assertInvalid(
      yield* verify(new URLSearchParams({ payload, conditions: JSON.stringify(conditions) })),
      "conditions.amount.equals"
    )
  })

  it.effect("in the JSON of a POST of v1 counts as absent", function* () {
    const { payload } = newSlip()
    const empty = { data: "", image: "", url: "", file: "", checkDuplicate: "" }
    const answer = yield* send("POST", "/v1/verify", { payload, ...empty })
    assert.strictEqual(answer.status, 200, answer.text)
    assertV1Failure(yield* send("POST", "/v1/verify", { ...empty, payload: "" }), 400, "invalid_request")
    assertV1Failure(yield* send("POST", "/v1/verify/truewallet", { ...empty }), 400, "invalid_request")
  })

  it.effect("in a PATCH is an error that says how to clear the field, and changes nothing", function* () {
    const account = { bankCode: "004", bankNumber: "0123456789", nameTh: "นาย สมชาย ใจดี", nameEn: "", type: "" }
    const created = yield* send<BankAccountView>("POST", "/v2/bank-accounts", account)
    assert.deepInclude(created.data, { nameEn: null, type: null }, created.text)
    const path = `/v2/bank-accounts/${created.data.id}`
    const named = yield* send<BankAccountView>("PATCH", path, { nameEn: "MR SOMCHAI", type: "PERSONAL" })
    assert.strictEqual(named.status, 200, named.text)

    const nullable = { nameEn: "", ref1: "", merchantId: "", type: "", extraVerify: "" }
    const cleared = yield* send("PATCH", path, nullable)
    assertInvalid(
      cleared,
      ...Object.keys(nullable).toSorted((one, other) => order.indexOf(one) - order.indexOf(other))
    )
    for (const { message } of cleared.error?.issues ?? []) assert.match(message, /send null to clear the field/u)
    const needed = yield* send("PATCH", path, { nameTh: "", bankCode: 7 })
    assertInvalid(needed, "nameTh", "bankCode")
    assert.match(needed.error?.issues?.[0]?.message ?? "", /cannot be cleared/u)
    assert.deepStrictEqual((yield* send<BankAccountView>("GET", path)).data, named.data)
    const ignored = yield* send("PATCH", path, { unknown: "" })
    assert.strictEqual(ignored.status, 200, ignored.text)
    const kept = yield* send<BankAccountView>("PATCH", path, new URLSearchParams({ nameEn: "" }))
    assert.strictEqual(kept.data.nameEn, "MR SOMCHAI")
    const gone = yield* send<BankAccountView>("PATCH", path, { nameEn: null })
    assert.isNull(gone.data.nameEn)
  })

  it.effect("in a change of the webhook or by an operator is an error too", function* () {
    const webhook = yield* send("PUT", "/v2/webhook", { url: "" })
    assertInvalid(webhook, "url")
    assert.match(webhook.error?.issues?.[0]?.message ?? "", /send null to clear the field/u)
    const { admin } = yield* RunningService
    const { branchId, serviceId } = yield* Shop
    for (
      const [path, field] of [[`/branches/${branchId}`, "webhookUrl"], [`/services/${serviceId}`, "expiresAt"]]
    ) {
      const answer = yield* admin("PATCH", path ?? "", { [field ?? ""]: "" })
      assertInvalid(answer, field ?? "")
      assert.match(answer.error?.issues?.[0]?.message ?? "", /send null to clear the field/u)
    }
    const nameless = yield* admin("POST", "/services", { name: "Of a test", plan: "" })
    assertInvalid(nameless, "plan")
  })

  it.effect("in a query of v1 counts as absent for checkDuplicate only", function* () {
    const { payload } = newSlip()
    for (let times = 0; times < 2; times++) {
      const answer = yield* send("GET", `/v1/verify?payload=${payload}&checkDuplicate=`)
      assert.strictEqual(answer.status, 200, answer.text)
    }
    assertV1Failure(yield* send("GET", "/v1/verify?payload=&checkDuplicate="), 400, "invalid_payload")
    assertFailure(
      yield* send("GET", "/v2/verifications?outcome="),
      400,
      "VALIDATION_ERROR",
      "Validation failed"
    )
  })
})

/** The fields of an account in the order of its declaration. */
const order = ["bankCode", "bankNumber", "nameTh", "nameEn", "ref1", "merchantId", "type", "extraVerify"]
