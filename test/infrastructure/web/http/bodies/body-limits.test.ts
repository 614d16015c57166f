import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { jsonFault, urlencodedFault } from "../../../../../infrastructure/web/http/bodies/decode-body.ts"
import type { JsonLimits } from "../../../../../infrastructure/web/api/body-limits.ts"
import { multipartFault } from "../../../../../infrastructure/web/http/bodies/multipart.ts"
import { runs } from "../../../../support/runs.ts"

const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text))

const limits: JsonLimits = { depth: 3, values: 12, items: 4, keys: 3 }

/** The size of a value, counted in the parsed value. Empty containers count one value inside, as in the scanner. */
const sizeOf = (value: unknown): JsonLimits => {
  if (typeof value !== "object" || value === null) return { depth: 0, values: 0, items: 0, keys: 0 }
  const inner = Object.values(value)
  const sizes = inner.map(sizeOf)
  const most = (name: keyof JsonLimits) => Math.max(0, ...sizes.map((size) => size[name]))
  const count = Math.max(1, inner.length)
  return {
    depth: 1 + most("depth"),
    values: count + sizes.reduce((sum, { values }) => sum + values, 0),
    items: Array.isArray(value) ? Math.max(count, most("items")) : most("items"),
    keys: Array.isArray(value) ? most("keys") : Math.max(count, most("keys"))
  }
}

describe("the structure of JSON", () => {
  it.prop("is refused exactly when a parsed value exceeds a limit", [Schema.Json], ([value]) => {
    const size = sizeOf(value)
    const isTooComplex = size.depth > limits.depth || size.values > limits.values || size.items > limits.items
      || size.keys > limits.keys
    assert.strictEqual(jsonFault(bytes(JSON.stringify(value)), limits) !== undefined, isTooComplex)
  }, { arbitrary: { runs: runs(500) } })

  it.each([
    [`[[[1]]]`, undefined],
    [`[[[[1]]]]`, "The body is nested deeper than 3 levels"],
    [`[1,2,3,4]`, undefined],
    [`[1,2,3,4,5]`, "An array of the body has more than 4 items"],
    [`{"a":1,"b":2,"c":3}`, undefined],
    [`{"a":1,"a":2,"a":3,"a":4}`, "An object of the body has more than 3 fields"],
    [`[[1,2,3],[1,2,3],[1,2,3]]`, undefined],
    [`[[1,2,3],[1,2,3],[1,2,3],[1]]`, "The body has more than 12 values"],
    [`["[[[[[[", "a\\"[[[[[", "\\\\", ",,,,,,"]`, undefined],
    [`["\\\\",[[[1]]]]`, "The body is nested deeper than 3 levels"],
    [`]]]]]]`, undefined]
  ])("%s: %o", (text, fault) => {
    assert.strictEqual(jsonFault(bytes(text), limits), fault)
  })

  it("of 64 MiB is scanned without a call for each value", () => {
    const text = `{"slips":[${"{},".repeat(1_000)}`
    assert.strictEqual(
      jsonFault(bytes(text), { depth: 32, values: 20_000, items: 500, keys: 256 }),
      "An array of the body has more than 500 items"
    )
  })
})

const part = (name: string, headers = "") =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n${headers}\r\nvalue\r\n`

const faultOf = (form: string) => multipartFault(bytes(form), "multipart/form-data; boundary=b")

describe("the beginning of a form", () => {
  it("has at most 100 parts", () => {
    const form = (parts: number) => `${part("a").repeat(parts)}--b--\r\n`
    assert.isUndefined(faultOf(form(100)))
    assert.strictEqual(faultOf(form(101)), "The form has more than 100 fields")
    assert.strictEqual(faultOf(form(101).slice(0, -20)), "The form has more than 100 fields")
    assert.strictEqual(faultOf(`\r\n${part("a").repeat(101)}--b--`), "The form has more than 100 fields")
  })

  it("has at most 16 KiB of headers for each part", () => {
    assert.isUndefined(faultOf(part("a", "x: y\r\n".repeat(1_000))))
    const longHeaders = "The headers of a form's part have more than 16384 bytes"
    assert.strictEqual(faultOf(part("a", "x: y\r\n".repeat(5_000))), longHeaders)
    assert.strictEqual(faultOf(part("a", `x: ${"y".repeat(20_000)}`)), longHeaders)
  })

  it("may be incomplete, empty, or no form", () => {
    for (const text of ["", "--", "nonsense", "\r\n\r\n", part("a").slice(0, 20), part("a").slice(0, -3)]) {
      assert.isUndefined(faultOf(text))
    }
  })

  it("that is urlencoded has at most 100 fields", () => {
    assert.isUndefined(urlencodedFault(bytes("a=1&".repeat(99))))
    assert.strictEqual(urlencodedFault(bytes("a=1&".repeat(100))), "The form has more than 100 fields")
  })
})
