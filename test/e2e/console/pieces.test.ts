import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { makeAttempts } from "../../../infrastructure/console/attempts.ts"
import { wordsFor } from "../../../infrastructure/console/language.ts"
import { perDay } from "../../../infrastructure/console/quota-section.ts"
import { makeSessions } from "../../../infrastructure/console/session.ts"
import { placesOf } from "../../../infrastructure/console/timeline-view.ts"
import { en } from "../../../infrastructure/console/messages/en.ts"
import { th } from "../../../infrastructure/console/messages/th.ts"

/** The paths of all that is said, with the kind of each and how much it has to be told. */
const outline = (words: unknown, path = ""): ReadonlyArray<string> => {
  if (typeof words === "object" && words !== null) {
    return Object.entries(words).flatMap(([name, value]) => outline(value, `${path}.${name}`))
  }
  return [`${path} ${typeof words}`]
}

const texts = (words: unknown): ReadonlyArray<string> => {
  if (typeof words === "object" && words !== null) return Object.values(words).flatMap(texts)
  return typeof words === "string" ? [words] : []
}

describe("the console's words", () => {
  it("are the same in both languages, and none is empty", () => {
    assert.deepStrictEqual(outline(th), outline(en))
    assert.deepStrictEqual([...texts(en), ...texts(th)].filter((text) => text.trim() === ""), [])
  })

  it("are Thai in Thai: what has no Thai letter is a name", () => {
    const latin = texts(th).filter((text) => !/[\u0E00-\u0E7F]/u.test(text))
    assert.deepStrictEqual(latin, ["th", "th-TH", "URL", "English"])
  })

  it("are chosen by a cookie, else by what the browser asks for, else English", () => {
    const chosen = (headers: Readonly<Record<string, string>>) => wordsFor(headers).language
    assert.strictEqual(chosen({}), "en")
    assert.strictEqual(chosen({ "accept-language": "th-TH,th;q=0.9,en;q=0.8" }), "th")
    assert.strictEqual(chosen({ "accept-language": "de, th;q=0.3, en;q=0.8" }), "en")
    assert.strictEqual(chosen({ "accept-language": "en", cookie: "a=b; sliptrail_console_language=th" }), "th")
    assert.strictEqual(chosen({ "accept-language": "th", cookie: "sliptrail_console_language=xx" }), "th")
  })
})

describe("a session", () => {
  const digest = (purpose: string, text: string) =>
    createHash("sha256").update(`${purpose}\n${text}`).digest("hex").slice(0, 32)
  const now = Date.parse("2026-11-22T00:00:00Z")
  const hours = (count: number) => now + count * 3_600_000

  it("holds for eight hours, in every process with the same keys", () => {
    const { formToken, value } = makeSessions("token", { digest }).open(now)
    const elsewhere = makeSessions("token", { digest })
    assert.deepStrictEqual(elsewhere.read(value, hours(8) - 1), { formToken, value })
    assert.isUndefined(elsewhere.read(value, hours(8)))
  })

  it("ends with the token, and with the master key", () => {
    const { value } = makeSessions("token", { digest }).open(now)
    assert.isUndefined(makeSessions("another", { digest }).read(value, now))
    assert.isUndefined(
      makeSessions("token", { digest: (purpose, text) => digest(`other ${purpose}`, text) }).read(value, now)
    )
  })

  it("has a form token of its own", () => {
    const sessions = makeSessions("token", { digest })
    assert.notStrictEqual(sessions.open(now).formToken, sessions.open(now).formToken)
  })
})

describe("attempts to sign in", () => {
  it("pause after five failures for a minute, each address by itself", () => {
    const { failed, pauseOf, succeeded } = makeAttempts()
    for (let count = 1; count <= 5; count++) {
      assert.strictEqual(pauseOf("a", 0), 0)
      failed("a", 0)
    }
    assert.deepStrictEqual([pauseOf("a", 0), pauseOf("a", 59_001), pauseOf("a", 60_000), pauseOf("b", 0)], [
      60,
      1,
      0,
      0
    ])
    failed("a", 60_000)
    assert.strictEqual(pauseOf("a", 60_000), 0)
    succeeded("a")
    assert.strictEqual(pauseOf("a", 60_000), 0)
  })

  it("are forgotten before they fill the memory", () => {
    const { failed, pauseOf } = makeAttempts()
    for (let count = 0; count < 5; count++) failed("first", 0)
    assert.strictEqual(pauseOf("first", 0), 60)
    for (let index = 0; index < 10_000; index++) failed(`other ${index}`, 0)
    assert.strictEqual(pauseOf("first", 0), 0)
  })
})

describe("the pictures", () => {
  it("keep events in their order, apart, and within the width, however long the waits are", () => {
    const day = 86_400_000
    const places = placesOf([0, 0, 1, 5, 30_000, day, 8 * day])
    for (const [index, place] of places.entries()) {
      assert.isTrue(place >= 2 && place <= 98.001)
      if (index > 0) assert.isAbove(place - (places[index - 1] ?? 0), 1)
    }
    assert.deepStrictEqual(placesOf([7]), [50])
    assert.deepStrictEqual(placesOf([]), [])
  })

  it("count a month by the days of Bangkok", () => {
    const at = (time: string) => Date.parse(time)
    const days = perDay("2026-02", [
      at("2026-01-31T17:00:00Z"),
      at("2026-02-28T16:59:59Z"),
      at("2026-02-09T17:00:00Z"),
      at("2026-03-01T10:00:00Z")
    ])
    assert.strictEqual(days.length, 28)
    assert.deepStrictEqual([days[0], days[9], days[27]], [1, 1, 2])
    assert.strictEqual(days.reduce((sum, count) => sum + count, 0), 4)
  })
})
