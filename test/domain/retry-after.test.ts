import { assert, describe, it } from "@effect/vitest"
import { retryAfterMillis } from "../../domain/retry-after.ts"

const now = Date.parse("2026-11-21T08:45:00Z")

describe("Retry-After", () => {
  it.each([
    ["120", 120_000],
    [" 5 ", 5_000],
    ["0", 0],
    ["007", 7_000],
    ["99999999999", 99_999_999_999_000],
    ["9".repeat(400), Infinity],
    ["Sat, 21 Nov 2026 08:45:12 GMT", 12_000],
    ["Saturday, 21-Nov-26 08:45:12 GMT", 12_000],
    ["Sat Nov 21 08:45:12 2026", 12_000],
    ["sat, 21 nov 2026 08:45:12 GMT", 12_000],
    ["Sat, 21 Nov 2026 15:45:12 +0700", 12_000],
    ["Sat, 21 Nov 2026 08:44:00 GMT", 0],
    ["Fri, 31 Dec 9999 23:59:59 GMT", Date.parse("9999-12-31T23:59:59Z") - now]
  ])("%s asks for %d milliseconds", (header, millis) => {
    assert.strictEqual(retryAfterMillis(header, now), millis)
  })

  it.each([
    undefined,
    "",
    " ",
    "-5",
    "+5",
    "1.5",
    "1e9",
    "0x10",
    "5s",
    "5, 10",
    "soon",
    "Later 9999",
    "Sat",
    "Sat, 99 Foo"
  ])(
    "%s asks for nothing",
    (header) => assert.isUndefined(retryAfterMillis(header, now))
  )
})
