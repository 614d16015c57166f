import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { policyJson } from "../../../../application/provisioning/policies.ts"
import { normalizeSlip } from "../../../../infrastructure/web/http/bodies/normalize-slip.ts"
import { decodeConditions, decodePolicy } from "../../../../infrastructure/web/input/conditions-request.ts"
import { decodeFlatPolicy, flatPolicy } from "../../../../infrastructure/web/input/flat-policy.ts"

/** The issues of conditions, as `path: message`. */
const issues = (conditions: unknown) =>
  Effect.match(decodeConditions(conditions), {
    onFailure: ({ issues }) => issues.map(({ message, path }) => `${path}: ${message}`),
    onSuccess: () => []
  })

const paths = (conditions: unknown) =>
  Effect.map(issues(conditions), (found) => found.map((issue) => issue.split(":")[0]))

describe("the conditions of a request", () => {
  it.effect("are in satang and in UTC after decoding, and list accounts as digits", function* () {
    const decoded = yield* decodeConditions({
      amount: { atLeast: 0.29, atMost: 1500.5 },
      transferredAt: { after: "2026-11-21T12:00:00+07:00", withinMinutes: 60 },
      receivers: [{ bankCode: "004", bankNumber: "123-4-56789-0", nameEn: "COFFEE" }],
      sendingBanks: ["004"],
      duplicate: "allow"
    })
    assert.deepStrictEqual(JSON.parse(JSON.stringify(decoded)), {
      conditions: {
        amount: { atLeast: 29, atMost: 150_050 },
        transferredAt: { after: "2026-11-21T05:00:00.000Z", withinMinutes: 60 },
        receivers: "listed",
        sendingBanks: ["004"],
        duplicate: "allow"
      },
      receivers: [
        { bankCode: "004", bankNumber: "1234567890", nameTh: "", nameEn: "COFFEE", extraVerify: null }
      ]
    })
    assert.isUndefined(yield* decodeConditions(undefined))
  })

  it.effect("are refused with the path of each unknown field, at any depth", function* () {
    assert.deepStrictEqual(
      yield* issues({ amont: 1, amount: { equal: 1 }, receivers: [{ bankCode: "004", bankNumber: "1", x: 1 }] }),
      [
        "conditions.amont: Unknown field: give one of amount, transferredAt, sendingBanks, duplicate, receivers",
        "conditions.amount.equal: Unknown field: give one of equals, atLeast, atMost",
        "conditions.receivers.0.x: Unknown field: give one of bankCode, bankNumber, nameTh, nameEn, "
        + "extraVerify, ref1, merchantId"
      ]
    )
  })

  it.effect("are refused when they contradict each other or say nothing", function* () {
    assert.deepStrictEqual(yield* issues({ amount: { equals: 1, atLeast: 1 } }), [
      "conditions.amount.equals: Give equals alone, or atLeast and atMost without it"
    ])
    assert.deepStrictEqual(yield* paths({ amount: { atLeast: 2, atMost: 1.99 } }), ["conditions.amount.atLeast"])
    const [late, early] = ["2026-11-21T12:00:00+07:00", "2026-11-21T04:59:59Z"]
    assert.deepStrictEqual(yield* paths({ transferredAt: { after: late, before: early } }), [
      "conditions.transferredAt.after"
    ])
    assert.deepStrictEqual(yield* paths({}), ["conditions"])
    assert.deepStrictEqual(yield* paths({ amount: {} }), ["conditions.amount"])
    assert.deepStrictEqual(yield* issues("text"), [
      "conditions: Expected an object; in a form, its JSON of at most 8192 characters"
    ])
  })

  it.effect("are refused for values that no transfer has", function* () {
    for (const equals of [0, -1, 1.001, 1e14, "1"]) {
      assert.deepStrictEqual(yield* paths({ amount: { equals } }), ["conditions.amount.equals"])
    }
    for (const after of ["2026-11-21", "2026-11-21T12:00:00", "2026-02-30T00:00:00Z", "noon"]) {
      assert.deepStrictEqual(yield* paths({ transferredAt: { after } }), ["conditions.transferredAt.after"])
    }
    for (const withinMinutes of [0, 527_041]) {
      assert.deepStrictEqual(yield* paths({ transferredAt: { withinMinutes } }), [
        "conditions.transferredAt.withinMinutes"
      ])
    }
    for (const sendingBanks of [[], ["004", "PROMPTPAY"], ["4"]]) {
      assert.isNotEmpty(yield* issues({ sendingBanks }), JSON.stringify(sendingBanks))
    }
  })

  it.effect("are refused for accounts that a branch could not register", function* () {
    const receiver = (fields: object) => ({ bankCode: "004", bankNumber: "1234567890", ...fields })
    const wrong = [
      receiver({ bankNumber: "123" }),
      receiver({ bankCode: "999" }),
      receiver({ bankCode: "002" }),
      receiver({ bankCode: "002", extraVerify: "NAME" })
    ]
    assert.deepStrictEqual(yield* paths({ receivers: wrong }), [
      "conditions.receivers.0.bankNumber",
      "conditions.receivers.1.bankCode",
      "conditions.receivers.2.extraVerify",
      "conditions.receivers.3.nameTh"
    ])
    assert.deepStrictEqual(yield* paths({ receivers: [] }), ["conditions.receivers"])
    assert.deepStrictEqual(yield* paths({ receivers: Array(21).fill(receiver({})) }), ["conditions.receivers"])
    assert.deepStrictEqual(yield* paths({ receivers: "all" }), ["conditions.receivers"])
  })
})

describe("a policy", () => {
  it.effect("names registered accounts only", function* () {
    const error = yield* Effect.flip(decodePolicy({ receivers: [{ bankCode: "004", bankNumber: "1234567890" }] }))
    assert.deepStrictEqual(error.issues.map(({ path }) => path), ["receivers"])
  })

  it.effect("is the same from nested fields, flat fields, and its own JSON", function* () {
    const nested = {
      amount: { atLeast: 20, atMost: 99.5 },
      transferredAt: { before: "2026-11-21T05:00:00.000Z", withinMinutes: 60 },
      sendingBanks: ["004", "014"],
      duplicate: "allow",
      receivers: "registered"
    } as const
    const conditions = yield* decodePolicy(nested)
    const policy = { version: 1, conditions }
    assert.deepStrictEqual(policyJson(policy), { version: 1, conditions: nested })
    assert.deepStrictEqual(yield* decodeFlatPolicy(flatPolicy(policy)), conditions)
    assert.deepStrictEqual(flatPolicy(null), {})
  })

  it.effect("names the flat field in its issues", function* () {
    const flat = { atLeast: "2", atMost: "1", withinMinutes: "soon", sendingBanks: "004 4", equals: "1.001" }
    const paths = (fields: object) =>
      Effect.map(Effect.flip(decodeFlatPolicy({ ...fields })), ({ issues }) => issues.map(({ path }) => path))
    assert.sameMembers([...yield* paths(flat)], ["withinMinutes", "sendingBanks", "equals"])
    assert.deepStrictEqual(yield* paths({ atLeast: "2", atMost: "1" }), ["atLeast"])
    assert.deepStrictEqual(yield* paths({}), [""])
  })
})

describe("conditions in a body", () => {
  const conditionsOf = (isForm: boolean, conditions: unknown) => normalizeSlip({ isForm, fields: { conditions } })

  it("lose their nulls, and have one order of fields", () => {
    const [one, other] = [
      { duplicate: "allow", amount: { atMost: 2, equals: null, atLeast: 1 }, receivers: null },
      { amount: { atLeast: 1, atMost: 2 }, duplicate: "allow" }
    ].map((conditions) => JSON.stringify(conditionsOf(false, conditions)))
    assert.strictEqual(one, other)
  })

  it("are JSON in a form; other text stays, and so does text that is too long", () => {
    const amount = { equals: 1 }
    assert.deepStrictEqual(conditionsOf(true, JSON.stringify({ amount })), { conditions: { amount } })
    const deep = `${"[".repeat(5_000)}${"]".repeat(5_000)}`
    for (const text of ["{", "nothing", deep]) assert.deepStrictEqual(conditionsOf(true, text), { conditions: text })
  })

  it.effect("are refused, and have a digest, however deep the text of a form is", function* () {
    const { conditions } = conditionsOf(true, `${"[".repeat(4_096)}${"]".repeat(4_096)}`)
    assert.isBelow(JSON.stringify(conditions).length, 100)
    assert.isNotEmpty(yield* issues(conditions))
    const nested = { amount: {}, sendingBanks: ["004"], receivers: [{ bankCode: "004", bankNumber: "1" }] }
    assert.deepStrictEqual(conditionsOf(true, JSON.stringify(nested)), { conditions: nested })
  })
})
