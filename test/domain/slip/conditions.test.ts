import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { satang } from "../../../domain/money.ts"
import {
  checkConditions,
  type CheckContext,
  type CheckedTransfer,
  type Conditions,
  contradictionsIn,
  isSameConditions
} from "../../../domain/slip/conditions.ts"

const transfer: CheckedTransfer = {
  amount: satang(150_050),
  transferredAt: "2026-11-21T15:45:00+07:00",
  sendingBank: "014"
}
const context: CheckContext = { receiver: null, isDuplicate: false, receivedAt: "2026-11-21T08:50:00.000Z" }

const check = (
  conditions: Conditions,
  { amount = transfer.amount, sendingBank = transfer.sendingBank, transferredAt = transfer.transferredAt, ...about }:
    & Partial<CheckedTransfer>
    & Partial<CheckContext> = {}
) => checkConditions(conditions, { amount, sendingBank, transferredAt }, { ...context, ...about })

const codes = (...parameters: Parameters<typeof check>) => check(...parameters).reasons.map(({ code }) => code)

describe("a condition on the amount", () => {
  it("is exact to the satang", () => {
    const equals = { amount: { equals: satang(150_050) } }
    assert.deepStrictEqual(check(equals), { accepted: true, reasons: [] })
    for (const amount of [satang(150_049), satang(150_051)]) {
      assert.deepStrictEqual(check(equals, { amount }), {
        accepted: false,
        reasons: [{ code: "amount_differs", expected: satang(150_050), actual: amount }]
      })
    }
  })

  it("includes the lowest and the highest amount", () => {
    const between = { amount: { atLeast: satang(100), atMost: satang(200) } }
    const codesOf = (amount: number) => codes(between, { amount: satang(amount) })
    assert.deepStrictEqual([99, 100, 200, 201].map(codesOf), [["amount_too_low"], [], [], ["amount_too_high"]])
  })
})

describe("a condition on the time", () => {
  const at = (transferredAt: Conditions["transferredAt"] & object, time: string) =>
    codes({ transferredAt }, { transferredAt: time })

  it("includes the second of each bound, whatever the offset and the fraction", () => {
    for (const bound of ["2026-11-21T05:00:00.000Z", "2026-11-21T05:00:00.999Z", "2026-11-21T12:00:00+07:00"]) {
      assert.deepStrictEqual(at({ after: bound }, "2026-11-21T11:59:59+07:00"), ["transferred_too_early"])
      assert.deepStrictEqual(at({ after: bound }, "2026-11-21T12:00:00+07:00"), [])
      assert.deepStrictEqual(at({ before: bound }, "2026-11-21T12:00:00+07:00"), [])
      assert.deepStrictEqual(at({ before: bound }, "2026-11-21T12:00:01+07:00"), ["transferred_too_late"])
    }
  })

  it("compares moments across a day of Bangkok that is another day in UTC", () => {
    const after = "2026-11-20T17:00:00.000Z"
    assert.deepStrictEqual(at({ after }, "2026-11-21T00:00:00+07:00"), [])
    assert.deepStrictEqual(at({ after }, "2026-11-20T23:59:59+07:00"), ["transferred_too_early"])
  })

  it("counts minutes back from the request, to the second", () => {
    const within = (transferredAt: string, receivedAt: string) =>
      codes({ transferredAt: { withinMinutes: 5 } }, { transferredAt, receivedAt })
    assert.deepStrictEqual(within("2026-11-21T15:45:00+07:00", "2026-11-21T08:50:00.999Z"), [])
    assert.deepStrictEqual(within("2026-11-21T15:45:00+07:00", "2026-11-21T08:50:01.000Z"), ["transferred_too_early"])
  })

  it("takes a transfer ahead of the request as made now, for up to five minutes", () => {
    const ahead = (transferredAt: string) => codes({ transferredAt: { withinMinutes: 1 } }, { transferredAt })
    assert.deepStrictEqual(ahead("2026-11-21T15:55:00+07:00"), [])
    assert.deepStrictEqual(ahead("2026-11-21T15:55:01+07:00"), ["transferred_too_late"])
  })

  it("names the narrowest bound, in the time of Bangkok", () => {
    const conditions = { transferredAt: { after: "2026-11-21T08:00:00.000Z", withinMinutes: 3 } }
    assert.deepStrictEqual(check(conditions).reasons, [{
      code: "transferred_too_early",
      expected: "2026-11-21T15:47:00+07:00",
      actual: "2026-11-21T15:45:00+07:00"
    }])
  })

  it("is not met by a time that cannot be read", () => {
    for (
      const condition of [{ after: "2026-01-01T00:00:00Z" }, { before: "2026-01-01T00:00:00Z" }, { withinMinutes: 9 }]
    ) {
      assert.isFalse(check({ transferredAt: condition }, { transferredAt: "yesterday" }).accepted)
    }
  })
})

describe("a condition on the receiver", () => {
  it("is met by a match only", () => {
    for (const receivers of ["registered", "listed"] as const) {
      const codesOf = (receiver: CheckContext["receiver"]) => codes({ receivers }, { receiver })
      assert.deepStrictEqual(codesOf("match"), [])
      assert.deepStrictEqual(codesOf("no_match"), ["receiver_differs"])
      assert.deepStrictEqual(codesOf("indeterminate"), ["receiver_indeterminate"])
      assert.deepStrictEqual(codesOf(null), ["receiver_indeterminate"])
    }
  })

  it("gives a reason without any data of the receiver", () => {
    assert.deepStrictEqual(check({ receivers: "registered" }, { receiver: "no_match" }).reasons, [
      { code: "receiver_differs" }
    ])
  })
})

describe("a condition on the sending bank", () => {
  it("is met by the listed banks", () => {
    assert.deepStrictEqual(codes({ sendingBanks: ["004", "014"] }), [])
    assert.deepStrictEqual(check({ sendingBanks: ["004", "002"] }).reasons, [
      { code: "sending_bank_not_allowed", expected: ["004", "002"], actual: "014" }
    ])
  })

  it("is met by the money of a wallet only when the wallet is listed", () => {
    const ofWallet = { sendingBank: "TRUEMONEY" }
    assert.deepStrictEqual(codes({ sendingBanks: ["004"] }, ofWallet), ["sending_bank_not_allowed"])
    assert.deepStrictEqual(codes({ sendingBanks: ["004", "TRUEMONEY"] }, ofWallet), [])
  })
})

describe("a duplicate", () => {
  it("is not accepted unless the conditions allow it", () => {
    const amount = { atLeast: satang(1) }
    assert.deepStrictEqual(codes({ amount }, { isDuplicate: true }), ["duplicate"])
    assert.deepStrictEqual(codes({ duplicate: "reject" }, { isDuplicate: true }), ["duplicate"])
    assert.deepStrictEqual(codes({ duplicate: "allow" }, { isDuplicate: true }), [])
    assert.deepStrictEqual(codes({ duplicate: "reject" }), [])
  })
})

const Amount = Schema.Literals([1, 2, 3]).pipe(Schema.decodeTo(Schema.Int.pipe(Schema.brand("Satang"))))
const Time = Schema.Literals(["2026-11-21T08:44:59Z", "2026-11-21T08:45:00Z", "2026-11-21T08:45:01Z"])
const AnyConditions = Schema.Struct({
  amount: Schema.optionalKey(Schema.Struct({
    equals: Schema.optionalKey(Amount),
    atLeast: Schema.optionalKey(Amount),
    atMost: Schema.optionalKey(Amount)
  })),
  transferredAt: Schema.optionalKey(Schema.Struct({
    after: Schema.optionalKey(Time),
    before: Schema.optionalKey(Time),
    withinMinutes: Schema.optionalKey(Schema.Literals([1, 5]))
  })),
  receivers: Schema.optionalKey(Schema.Literals(["registered", "listed"])),
  sendingBanks: Schema.optionalKey(Schema.Array(Schema.Literals(["004", "014"]))),
  duplicate: Schema.optionalKey(Schema.Literals(["reject", "allow"]))
})
const Situation = Schema.Struct({
  amount: Amount,
  transferredAt: Time,
  sendingBank: Schema.Literals(["004", "014"]),
  receiver: Schema.NullOr(Schema.Literals(["match", "no_match", "indeterminate"])),
  isDuplicate: Schema.Boolean
})

describe("conditions", () => {
  const any = [Arbitrary.schema(AnyConditions), Arbitrary.schema(Situation)] as const

  it.prop("are met exactly when there is no reason", [...any], ([conditions, situation]) => {
    const { accepted, reasons } = check(conditions, situation)
    assert.strictEqual(accepted, reasons.length === 0)
  })

  it.prop("give together the reasons that each gives alone", [...any], ([conditions, situation]) => {
    const { amount, duplicate, receivers, sendingBanks, transferredAt } = conditions
    const alone = [
      ...(amount === undefined ? [] : [{ amount }]),
      ...(transferredAt === undefined ? [] : [{ transferredAt }]),
      ...(receivers === undefined ? [] : [{ receivers }]),
      ...(sendingBanks === undefined ? [] : [{ sendingBanks }])
    ].flatMap((part) => check({ ...part, duplicate: "allow" }, situation).reasons)
    const ofDuplicate = check(duplicate === undefined ? {} : { duplicate }, situation).reasons
    assert.deepStrictEqual(check(conditions, situation).reasons, [...alone, ...ofDuplicate])
  })

  it.prop(
    "without contradiction in the amount accept some amount",
    [Arbitrary.schema(AnyConditions)],
    ([{ amount }]) => {
      if (amount === undefined || contradictionsIn({ amount }).length > 0) return
      const { atLeast, atMost, equals } = amount
      assert.isTrue(check({ amount }, { amount: equals ?? atLeast ?? atMost ?? satang(1) }).accepted)
    }
  )
})

describe("contradictions", () => {
  const paths = (conditions: Conditions) => contradictionsIn(conditions).map(({ path }) => path)

  it("are an exact amount beside a bound, and bounds that exclude each other", () => {
    assert.deepStrictEqual(paths({ amount: { equals: satang(1), atLeast: satang(1) } }), ["amount.equals"])
    assert.deepStrictEqual(paths({ amount: { equals: satang(1), atMost: satang(1) } }), ["amount.equals"])
    assert.deepStrictEqual(paths({ amount: { atLeast: satang(2), atMost: satang(1) } }), ["amount.atLeast"])
    assert.deepStrictEqual(paths({ amount: { atLeast: satang(1), atMost: satang(1) } }), [])
    const [early, late] = ["2026-11-21T08:00:00.000Z", "2026-11-21T08:00:01.000Z"]
    assert.deepStrictEqual(paths({ transferredAt: { after: late, before: early } }), ["transferredAt.after"])
    assert.deepStrictEqual(paths({ transferredAt: { after: early, before: early } }), [])
  })

  it("are conditions that say nothing", () => {
    assert.deepStrictEqual(paths({}), [""])
    assert.deepStrictEqual(paths({ amount: {}, transferredAt: {} }), ["amount", "transferredAt"])
    assert.deepStrictEqual(paths({ duplicate: "allow" }), [])
  })
})

describe("the equality of conditions", () => {
  it("ignores the order of the fields", () => {
    const [one, other] = [satang(1), satang(2)]
    assert.isTrue(isSameConditions(
      { amount: { atLeast: one, atMost: other }, duplicate: "allow" },
      { duplicate: "allow", amount: { atMost: other, atLeast: one } }
    ))
    assert.isFalse(isSameConditions({ amount: { atLeast: one } }, { amount: { atLeast: other } }))
    assert.isFalse(isSameConditions({ sendingBanks: ["004"] }, { sendingBanks: ["004", "014"] }))
    assert.isFalse(isSameConditions({ duplicate: "reject" }, { sendingBanks: ["004"] }))
  })
})
