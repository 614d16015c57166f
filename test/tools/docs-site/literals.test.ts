import { assert, describe, it } from "@effect/vitest"
import {
  jsonLiteral,
  phpLiteral,
  pythonLiteral,
  shellText,
  typescriptLiteral
} from "../../../tools/docs-site/samples/literals.ts"

const value = { name: 'it\'s \\ "x"', list: [1, true, null], empty: {}, "a-b": { inner: ["ก".repeat(70)] } }

describe("literals of samples", () => {
  it("writes JSON that is the value", () => {
    assert.deepStrictEqual(JSON.parse(jsonLiteral(value)), value)
    assert.strictEqual(jsonLiteral({ a: 1 }), `{ "a": 1 }`)
  })

  it("writes TypeScript with names where they need no quotes", () => {
    assert.strictEqual(typescriptLiteral({ a: [false], "a-b": "x" }), `{ a: [false], "a-b": "x" }`)
  })

  it("writes PHP with escaped quotes and an object for an empty map", () => {
    assert.strictEqual(phpLiteral({ a: "it's \\" }), String.raw`['a' => 'it\'s \\']`)
    assert.strictEqual(phpLiteral({}), "new stdClass()")
    assert.strictEqual(phpLiteral({ a: {} }), "['a' => new stdClass()]")
  })

  it("writes Python with its own words", () => {
    assert.strictEqual(pythonLiteral({ a: [true, false, null] }), `{"a": [True, False, None]}`)
  })

  it("quotes text for a shell", () => {
    assert.strictEqual(shellText("it's"), String.raw`'it'\''s'`)
  })

  it("breaks long values into lines", () => {
    assert.strictEqual(jsonLiteral({ a: "x".repeat(70) }, "  "), `{\n    "a": "${"x".repeat(70)}"\n  }`)
  })
})
