import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"
import { canonicalJson } from "../../../domain/log-proof/canonical-json.ts"
import { numbersFrom, pick, type Random } from "../../support/random.ts"

// From RFC 8785: sections 3.2.2 and 3.2.3.
const NUMBERS_AND_STRINGS = String.raw`{
  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
  "literals": [null, true, false]
}`
const KEYS = String.raw`{
  "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
  "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
}`

const KEYS_OF_ALL_KINDS = [
  "a",
  "b",
  "B",
  "",
  "0",
  "10",
  "2",
  "9\uffff",
  "constructor",
  "__proto__",
  "ก",
  "\u{1f600}",
  "\n"
]

const anyJson = (random: Random, depth: number): Schema.Json => {
  const leaves: ReadonlyArray<Schema.Json> = [null, true, -0.5, 1e21, "", 'ส"\\', "\ud800"]
  if (depth === 0 || random() < 0.3) return pick(random, leaves, null)
  const size = Math.floor(random() * 5)
  if (random() < 0.3) return Array.from({ length: size }, () => anyJson(random, depth - 1))
  const entries = Array.from({ length: size }, () => [pick(random, KEYS_OF_ALL_KINDS, "a"), anyJson(random, depth - 1)])
  return Object.fromEntries(entries)
}

/** A second implementation, directly from the definition. */
const naiveCanonical = (value: Schema.Json): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(naiveCanonical).join()}]`
  const entries = Object.entries(value).toSorted(([one], [other]) => one < other ? -1 : 1)
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${naiveCanonical(one)}`).join()}}`
}

describe("canonical JSON", () => {
  it("sorts and writes keys as defined", () => {
    for (let seed = 1; seed <= 500; seed++) {
      const value = anyJson(numbersFrom(seed), 4)
      assert.strictEqual(canonicalJson(value), naiveCanonical(value), `seed ${seed}`)
    }
  })

  it("writes numbers, strings and literals as RFC 8785 does", () => {
    assert.strictEqual(
      canonicalJson(JSON.parse(NUMBERS_AND_STRINGS)),
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],`
        + String.raw`"string":"€$\u000f\nA'B\"\\\\\"/"}`
    )
  })

  it("sorts keys by their UTF-16 units", () => {
    const text = canonicalJson(JSON.parse(KEYS))
    const order = ["Carriage Return", "One", "Control", "Latin Small", "Euro Sign", "Emoji", "Hebrew"]
    const offsets = order.map((name) => text.indexOf(name))
    assert.deepStrictEqual(offsets, offsets.toSorted((one, other) => one - other))
  })

  it("does not depend on the order of keys, at any depth", () => {
    const one = { b: [{ y: 1, x: null }], a: { d: "", c: false } }
    const other = { a: { c: false, d: "" }, b: [{ x: null, y: 1 }] }
    assert.strictEqual(canonicalJson(one), canonicalJson(other))
    assert.strictEqual(canonicalJson(one), '{"a":{"c":false,"d":""},"b":[{"x":null,"y":1}]}')
  })

  it("keeps a key with a special meaning in objects", () => {
    assert.strictEqual(canonicalJson(JSON.parse('{"__proto__":{"a":1}}')), '{"__proto__":{"a":1}}')
  })

  it("differs for different values", () => {
    const texts = [{}, [], null, "", 0, false, { a: null }, { a: [] }, [null], "null", [[]], { a: { b: 1 } }, {
      "a.b": 1
    }]
    assert.strictEqual(new Set(texts.map(canonicalJson)).size, texts.length)
  })
})
