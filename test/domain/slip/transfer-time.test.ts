import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { slipTime } from "../../../domain/time.ts"
import { pendingMillis, transferSpanHint, transferTimeHint } from "../../../domain/slip/transfer-time.ts"
import { runs } from "../../support/runs.ts"

const now = Date.parse("2026-11-21T15:45:00+07:00")
const DAY = 86_400_000
const YEAR = 365 * DAY

const hint = (bank: string, transRef: string, at: number = now): string | undefined => {
  const time = transferTimeHint(bank, transRef, at)
  return time === undefined ? undefined : slipTime(time)
}

const bangkokBank = (millis: number): string => `${slipTime(millis).slice(0, 19).replaceAll(/[-T:]/gu, "")}00000000001`

const kasikornbank = (millis: number): string => {
  const written = slipTime(millis)
  const year = written.slice(0, 4)
  const day = 1 + (Date.parse(written.slice(0, 10)) - Date.parse(`${year}-01-01`)) / DAY
  return `01${year.slice(3)}${String(day).padStart(3, "0")}${written.slice(11, 19).replaceAll(":", "")}APP00001`
}

/** Whole seconds of the years 2020 to 2060. */
const Seconds = Schema.Int.check(Schema.isBetween({ minimum: 1_577_836_800, maximum: 2_871_763_199 }))

describe("a reference of Bangkok Bank", () => {
  it("begins with the time of the transfer", () => {
    assert.strictEqual(hint("002", "2026112115450000000000001"), "2026-11-21T15:45:00+07:00")
    assert.strictEqual(hint("002", "2028022923595900000000001"), "2028-02-29T23:59:59+07:00")
  })

  it.prop("has any time, past or future", [Seconds], ([seconds]) => {
    assert.strictEqual(transferTimeHint("002", bangkokBank(seconds * 1_000), now), seconds * 1_000)
  })

  it.each([
    "",
    "2026112115450",
    "0002123123121200011",
    "2026022915450000000000001",
    "2026132115450000000000001",
    "2026113115450000000000001",
    "2026112124450000000000001",
    "2026112115600000000000001",
    "2026112115456000000000001",
    "A026112115450000000000001",
    "٢٠٢٦112115450000000000001"
  ])("gives no time when it contains none: %j", (transRef) => {
    assert.isUndefined(transferTimeHint("002", transRef, now))
  })
})

describe("a reference of KBank", () => {
  it.each([
    ["016189200313APP00001", "2026-07-08T20:03:13+07:00"],
    ["010092101507665143", "2020-04-01T10:15:07+07:00"],
    ["016325154500APP00001", "2026-11-21T15:45:00+07:00"],
    ["013071152533APM07736", "2023-03-12T15:25:33+07:00"],
    ["017001000000APP00001", "2017-01-01T00:00:00+07:00"],
    ["014366235959APP00001", "2024-12-31T23:59:59+07:00"]
  ])("holds the time of the transfer: %s", (transRef, time) => {
    assert.strictEqual(hint("004", transRef), time)
  })

  const Age = Schema.Int.check(Schema.isBetween({ minimum: -86_400, maximum: 9 * 365 * 86_400 }))
  it.prop("has any time of the last nine years and the next day", [Seconds, Age], ([seconds, age]) => {
    const time = (seconds - age) * 1_000
    assert.strictEqual(transferTimeHint("004", kasikornbank(time), seconds * 1_000), time)
  }, { arbitrary: { runs: runs(300) } })

  it("belongs to the new year from midnight in Bangkok", () => {
    const midnight = Date.parse("2027-01-01T00:00:00+07:00")
    assert.strictEqual(hint("004", "017001000000APP00001", midnight), "2027-01-01T00:00:00+07:00")
    assert.strictEqual(hint("004", "016365235959APP00001", midnight), "2026-12-31T23:59:59+07:00")
  })

  it("belongs to the new year also when the bank's clock is ahead", () => {
    const eve = Date.parse("2026-12-31T00:30:00+07:00")
    assert.strictEqual(hint("004", "017001002000APP00001", eve), "2027-01-01T00:20:00+07:00")
  })

  it("belongs to the previous decade rather than to the future", () => {
    assert.strictEqual(hint("004", kasikornbank(now + DAY)), slipTime(now + DAY))
    assert.strictEqual(hint("004", "016327154500APP00001"), "2016-11-22T15:45:00+07:00")
  })

  it("has a 366th day in leap years only", () => {
    assert.strictEqual(hint("004", "014366120000APP00001"), "2024-12-31T12:00:00+07:00")
    assert.isUndefined(hint("004", "015366120000APP00001"))
    assert.strictEqual(hint("004", "016366120000APP00001", now + YEAR), "2016-12-31T12:00:00+07:00")
  })

  it.each([
    "",
    "01618920031",
    "026189200313APP00001",
    "016000200313APP00001",
    "016367200313APP00001",
    "016999200313APP00001",
    "016189240313APP00001",
    "016189206013APP00001",
    "016189200360APP00001",
    "01618920031XAPP00001"
  ])("gives no time when it contains none: %j", (transRef) => {
    assert.isUndefined(transferTimeHint("004", transRef, now))
  })
})

describe("a reference of another bank", () => {
  it("has no time, even if it looks like one", () => {
    assert.isUndefined(transferTimeHint("014", "2026112115450000000000001", now))
    assert.isUndefined(transferTimeHint("", "016189200313APP00001", now))
  })
})

const span = (bank: string, transRef: string, at: number = now): ReadonlyArray<string> | undefined => {
  const found = transferSpanHint(bank, transRef, at)
  return found === undefined ? undefined : [slipTime(found.earliest), slipTime(found.latest)]
}

describe("the span of a reference", () => {
  it.each([
    ["002", "2026112115450000000000001", "2026-11-21T15:45:00+07:00", "2026-11-21T15:45:00+07:00"],
    ["004", "016325154500APP00001", "2026-11-21T15:45:00+07:00", "2026-11-21T15:45:00+07:00"],
    ["004", "0463250Ab12345678901", "2026-11-21T00:00:00+07:00", "2026-11-21T23:59:59+07:00"],
    ["004", "0493250Ab12345678901", "2026-11-21T00:00:00+07:00", "2026-11-21T23:59:59+07:00"],
    ["006", "C20261121123456789012", "2026-11-21T00:00:00+07:00", "2026-11-21T23:59:59+07:00"],
    ["006", "C25691121123456789012", "2026-11-21T00:00:00+07:00", "2026-11-21T23:59:59+07:00"],
    ["011", "261121154500123456", "2026-11-21T15:45:00+07:00", "2026-11-21T15:45:00+07:00"],
    ["011", "691121154500123456", "2026-11-21T15:45:00+07:00", "2026-11-21T15:45:00+07:00"],
    ["011", "202611211512345678", "2026-11-21T15:00:00+07:00", "2026-11-21T15:59:59+07:00"],
    ["014", "202611210aBcDeFgHiJkLmNoP", "2026-11-21T00:00:00+07:00", "2026-11-21T23:59:59+07:00"],
    ["030", "632515123456A123456B1234", "2026-11-21T15:00:00+07:00", "2026-11-21T15:59:59+07:00"],
    ["034", "MTI1234567890632515123456", "2026-11-21T15:00:00+07:00", "2026-11-21T15:59:59+07:00"],
    ["069", "632515123456", "2026-11-21T15:00:00+07:00", "2026-11-21T15:59:59+07:00"]
  ])("of bank %s: %s", (bank, transRef, earliest, latest) => {
    assert.deepStrictEqual(span(bank, transRef), [earliest, latest])
  })

  it.each([
    ["004", "046325"],
    ["004", "04636A0Ab12345678901"],
    ["004", "0463670Ab12345678901"],
    ["006", "A0123456789ABCDEF"],
    ["006", "N202611211234567890123456"],
    ["011", "26112115450012345"],
    ["014", "202613210aBcDeFgHiJkLmNoP"],
    ["025", "KSA0000000000000000abcdef"],
    ["030", "632524123456A123456B1234"],
    ["069", "6325151234567"]
  ])("is unknown where the form has none, or the calendar does not: bank %s, %j", (bank, transRef) => {
    assert.isUndefined(span(bank, transRef))
  })

  it("is the latest one that has begun, where the year has one digit", () => {
    // 7: 2017 in the Christian era, 2567 = 2024 in the Buddhist one.
    assert.deepStrictEqual(span("069", "732515123456")?.at(0), "2024-11-20T15:00:00+07:00")
  })

  it("is no hint of the time of a transfer", () => {
    assert.isUndefined(transferTimeHint("004", "0463250Ab12345678901", now))
    assert.isUndefined(transferTimeHint("011", "261121154500123456", now))
  })
})

describe("the pending window of a reference with a day", () => {
  const rule = { banks: ["004"], windowMillis: 300_000 }
  const make = "0463250Ab12345678901"
  const midnight = Date.parse("2026-11-22T00:00:00+07:00")
  const left = (at: number, presentedAt?: number) => pendingMillis(rule, "004", make, at, presentedAt)

  it.each([
    ["at noon of the day", now, undefined, 300_000],
    ["one minute after the day", midnight + 60_000, undefined, 239_999],
    ["a window after the day", midnight + 300_000, undefined, 0],
    ["a minute after the service received the slip", now + 60_000, now, 240_000],
    ["a window after the service received the slip", now + 300_001, now, 0],
    ["the day before, further ahead than one window", now - DAY, undefined, 0],
    ["just before the day, by another clock", midnight - DAY - 300_000, undefined, 300_000],
    ["after the clock was set back below the time of acceptance", now, now + DAY, 300_000]
  ])("%s", (_, at, presentedAt, expected) => {
    assert.strictEqual(left(at, presentedAt), expected)
  })
})

describe("the pending window", () => {
  const rule = { banks: ["002"], windowMillis: 300_000 }
  const pendingAt = (millis: number): number => pendingMillis(rule, "002", bangkokBank(now), now + millis)

  it.each([
    ["at the transfer", 0, 300_000],
    ["a minute later", 60_000, 240_000],
    ["one millisecond before its end", 299_999, 1],
    ["at its end, which is included", 300_000, 1],
    ["after its end", 300_001, 0],
    ["a day later", DAY, 0],
    ["a little before the transfer, by another clock", -1_000, 300_000],
    ["its whole length before the transfer", -300_000, 300_000],
    ["further before the transfer", -300_001, 0]
  ])("%s", (_, millis, left) => {
    assert.strictEqual(pendingAt(millis), left)
  })

  it.prop("is open for five minutes before and after the transfer, and no longer", [
    Schema.Int.check(Schema.isBetween({ minimum: -600_000, maximum: 600_000 }))
  ], ([millis]) => {
    const left = pendingAt(millis)
    assert.strictEqual(left > 0, Math.abs(millis) <= rule.windowMillis)
    assert.isAtMost(left, rule.windowMillis)
  })

  it.prop("never exceeds its length, whatever a reference and the clocks say", [
    Schema.Literals(["002", "004", "006", "011", "014", "030", "034", "069"]),
    Schema.String.check(Schema.isPattern(/^(?:C|MTI|01|04)?\d{12,25}$/u)),
    Schema.Int,
    Schema.Int
  ], ([bank, transRef, at, presentedAt]) => {
    const all = { ...rule, banks: [bank] }
    const moment = Math.abs(at) % 4_000_000_000_000
    const left = pendingMillis(all, bank, transRef, moment, moment + presentedAt % (400 * DAY))
    assert.isAtLeast(left, 0)
    assert.isAtMost(left, rule.windowMillis)
    const twoWindowsAfter = moment + presentedAt % DAY + 2 * rule.windowMillis
    if (twoWindowsAfter > 0) {
      assert.strictEqual(
        pendingMillis(all, bank, transRef, twoWindowsAfter, twoWindowsAfter - rule.windowMillis - 1),
        0
      )
    }
  })

  it("applies only to the banks of the rule", () => {
    assert.strictEqual(pendingMillis(rule, "004", kasikornbank(now), now), 0)
    assert.strictEqual(pendingMillis({ ...rule, banks: ["002", "004"] }, "004", kasikornbank(now), now), 300_000)
    assert.strictEqual(pendingMillis({ ...rule, banks: [] }, "002", bangkokBank(now), now), 0)
  })

  it("is closed when the reference has no time", () => {
    assert.strictEqual(pendingMillis(rule, "002", "0002123123121200011", now), 0)
    assert.strictEqual(pendingMillis({ ...rule, banks: ["025"] }, "025", "KSA0000000000000000abcdef", now), 0)
  })
})
