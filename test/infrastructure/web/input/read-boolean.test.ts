import { assert, describe, it } from "@effect/vitest"
import { Exit, Schema } from "effect"
import { BooleanText } from "../../../../infrastructure/web/api/values.ts"
import { readBoolean } from "../../../../infrastructure/web/api/read-boolean.ts"

const TRUE = [true, 1, "true", "True", "TRUE", "1"]
const FALSE = [false, 0, "false", "False", "FALSE", "0"]
const NEITHER = ["", " true", "tRUE", "t", "yes", "on", "2", "01", "1.0", 2, -1, 0.5, Number.NaN, null, [true], {}, 1n]

describe("a boolean of a request", () => {
  it("is one of the texts and numbers that languages write", () => {
    assert.deepStrictEqual(TRUE.map(readBoolean), TRUE.map(() => true))
    assert.deepStrictEqual(FALSE.map(readBoolean), FALSE.map(() => false))
    assert.deepStrictEqual([...NEITHER, undefined].map(readBoolean), [...NEITHER, undefined].map(() => undefined))
  })

  it("is the same text in a query", () => {
    const decode = Schema.decodeUnknownExit(BooleanText)
    const texts = (values: ReadonlyArray<unknown>) => values.filter((value) => typeof value === "string")
    for (const text of texts(TRUE)) assert.deepStrictEqual(decode(text), Exit.succeed(true))
    for (const text of texts(FALSE)) assert.deepStrictEqual(decode(text), Exit.succeed(false))
    for (const value of [...NEITHER, 1, true]) {
      assert.isTrue(Exit.isFailure(decode(value)), typeof value === "string" ? value : typeof value)
    }
  })
})
