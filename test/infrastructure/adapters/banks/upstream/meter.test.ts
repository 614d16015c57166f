import { assert, describe, it } from "../../../../support/it.ts"
import { Effect, Metric, Result } from "effect"
import { TestClock } from "effect/testing"
import type { BankAnswer, Charges } from "../../../../../infrastructure/adapters/banks/upstream/gateway.ts"
import {
  chargedOutcome,
  initialiseMeter,
  makeMeter
} from "../../../../../infrastructure/adapters/banks/upstream/meter.ts"
import { readSlipData } from "../../../../../infrastructure/adapters/banks/upstream/slip-data.ts"
import { kbankSlipData } from "../../../../support/banks/slip-data.ts"
import { known } from "../given-banks.ts"

const transfer = Result.getOrThrow(readSlipData(kbankSlipData(known), known))
const found: BankAnswer = { answer: { _tag: "Found", transfer }, upstream: null }
const notFound: BankAnswer = { answer: { _tag: "NotFound" }, upstream: null }
const pending: BankAnswer = { answer: { _tag: "Pending", retryAfterSeconds: 60 }, upstream: null }

const foundOnly: Charges = { notFound: false, repeat: true }
const both: Charges = { notFound: true, repeat: false }

describe("the outcome that a vendor charges for", () => {
  it.each(
    [
      ["a found slip", found, foundOnly, "found"],
      ["a free repeat", { ...found, isCharged: false }, foundOnly, undefined],
      ["an unknown slip of a vendor that charges it", notFound, both, "not_found"],
      ["an unknown slip of a vendor that does not", notFound, foundOnly, undefined],
      ["an unknown slip that the answer calls charged", { ...notFound, isCharged: true }, foundOnly, "not_found"],
      ["an unknown slip that the answer calls free", { ...notFound, isCharged: false }, both, undefined],
      ["a pending slip", pending, both, undefined],
      ["a slip found by a bank", found, undefined, undefined]
    ] as ReadonlyArray<[string, BankAnswer, Charges | undefined, string | undefined]>
  )("%s", (_, answer, charges, outcome) => assert.strictEqual(chargedOutcome(answer, charges, false), outcome))

  it("is none for a slip that the vendor found before, unless it charges repeats", () => {
    assert.isUndefined(chargedOutcome(found, both, true))
    assert.strictEqual(chargedOutcome(found, foundOnly, true), "found")
    assert.strictEqual(chargedOutcome({ ...found, isCharged: true }, both, true), "found")
  })
})

/** The values of a gateway's series, by metric and outcome. */
const seriesOf = (gateway: string) =>
  Effect.map(Metric.snapshot, (metrics) =>
    new Map(metrics.flatMap(({ attributes, id, ...metric }) => {
      if (attributes?.["gateway"] !== gateway) return []
      const key = `${id} ${attributes["outcome"] ?? ""}`.trim().replace("sliptrail_gateway_", "")
      if (metric.type === "Counter") return [[key, Number(metric.state.count)] as const]
      return metric.type === "Gauge" ? [[key, Number(metric.state.value)] as const] : []
    })))

describe("the meter of a gateway", () => {
  it.effect("counts charged questions, money and what is left, and starts each day at zero", function* () {
    yield* TestClock.setTime(Date.parse("2026-11-22T23:59:00+07:00"))
    yield* initialiseMeter("saturn")
    assert.isNaN((yield* seriesOf("saturn")).get("questions_remaining"))
    const { count, setAccount, status } = makeMeter({ name: "saturn", title: "Saturn", charges: both, price: 0.25 })
    yield* setAccount({ remaining: 3, limit: 350, expiresAt: 1_800_000_000_000 })

    const answers = [found, notFound, pending, { ...found, isCharged: false }]
    const usedUp = yield* Effect.forEach(answers, (answer, index) => count(answer, `004:${index}`))
    assert.deepStrictEqual(usedUp, [false, false, false, false])
    assert.isFalse(yield* count(found, "004:0"))
    assert.isTrue(yield* count(found, "004:another"))

    const series = yield* seriesOf("saturn")
    assert.strictEqual(series.get("charged_total found"), 2)
    assert.strictEqual(series.get("charged_total not_found"), 1)
    assert.strictEqual(series.get("spent_baht_total"), 0.75)
    assert.strictEqual(series.get("questions_remaining"), 0)
    assert.strictEqual(series.get("questions_limit"), 350)
    assert.strictEqual(series.get("package_end_seconds"), 1_800_000_000)
    const now = Date.parse("2026-11-22T23:59:30+07:00")
    assert.deepStrictEqual(status(now), {
      account: { remaining: 0, limit: 350, expiresAt: 1_800_000_000_000 },
      chargedToday: 3,
      price: 0.25
    })
    assert.strictEqual(status(now + 60_000).chargedToday, 0)
    yield* TestClock.adjust("2 minutes")
    yield* count(found, "004:next day")
    assert.strictEqual(status(now + 60_000).chargedToday, 1)
  })

  it.effect("takes the account from an answer that contains it", function* () {
    const { count, status } = makeMeter({ name: "neptune", title: "Neptune", charges: foundOnly, price: undefined })
    assert.isFalse(yield* count({ ...found, account: { remaining: 0, limit: 10, expiresAt: null } }, "004:one"))
    assert.deepStrictEqual(status(0), {
      account: { remaining: 0, limit: 10, expiresAt: null },
      chargedToday: 1
    })
  })

  it.effect("does not count the questions of a bank", function* () {
    const { count, status } = makeMeter({ name: "scb", title: "SCB", charges: undefined, price: undefined })
    yield* count(found, "004:one")
    assert.deepStrictEqual(status(0), {})
  })
})
