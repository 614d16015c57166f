import { assert, describe, it } from "../../../support/it.ts"
import { Effect, Schema } from "effect"
import { decodeFields } from "../../../../infrastructure/web/input/decode.ts"
import { text } from "../../../../infrastructure/web/api/values.ts"

describe("text of a request", () => {
  const decode = decodeFields(Schema.Struct({ remark: text(10) }))

  it.effect("is taken with every whole character", function* () {
    for (const remark of ["order 42", "กาแฟ ☕", "😀"]) {
      assert.strictEqual((yield* decode({ remark })).remark, remark)
    }
  })

  it.effect("is refused with half of a surrogate pair, which UTF-8 cannot store", function* () {
    for (const remark of ["\ud800 x", "x\udc00", "\ude00\ud83d"]) {
      const { issues } = yield* Effect.flip(decode({ remark }))
      assert.deepStrictEqual(issues.map(({ path }) => path), ["remark"])
      assert.include(issues[0]?.message ?? "", "half of a surrogate pair")
    }
  })
})
