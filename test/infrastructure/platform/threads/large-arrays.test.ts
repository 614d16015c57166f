import { assert, describe, it } from "@effect/vitest"
import { pack, unpack } from "../../../../infrastructure/platform/threads/large-arrays.ts"

const LENGTH = 32 * 1024

const numbered = (length: number): Uint8Array<ArrayBuffer> => Uint8Array.from({ length }, (_, index) => index)

describe("a question to a thread", () => {
  it("has the buffers of its large arrays on the way, and the same arrays at its end", () => {
    const whole = numbered(LENGTH)
    const part = numbered(2 * LENGTH).subarray(100, 100 + LENGTH)
    const pooled = Buffer.from(whole).subarray(0, LENGTH - 1)
    const question = { whole, part, pooled, small: numbered(10), text: "a", nothing: undefined }

    const packed = pack(question, [whole.buffer])
    for (const name of ["whole", "part", "pooled"] as const) {
      assert.instanceOf(packed.question[name], ArrayBuffer, name)
    }
    assert.strictEqual<unknown>(packed.question.whole, whole.buffer)
    assert.strictEqual(packed.question.part.byteLength, LENGTH, "no more than the part is copied")

    const arrived = structuredClone(packed, { transfer: [whole.buffer] })
    const { nothing, part: arrivedPart, pooled: arrivedPooled, small, text, whole: arrivedWhole } = unpack(arrived)
    assert.deepStrictEqual(arrivedWhole, numbered(LENGTH))
    assert.deepStrictEqual(arrivedPart, Uint8Array.from(part))
    assert.deepStrictEqual(arrivedPooled, Uint8Array.from(pooled))
    assert.deepStrictEqual([small, text, nothing], [numbered(10), "a", undefined])
  })

  it("moves the buffer of a part that is moved, and keeps its place", () => {
    const part = numbered(2 * LENGTH).subarray(100, 100 + LENGTH)
    const expected = Uint8Array.from(part)
    const packed = pack({ part }, [part.buffer])
    assert.deepStrictEqual(unpack(structuredClone(packed, { transfer: [part.buffer] })).part, expected)
  })

  it.each([[[numbered(LENGTH)]], ["text"], [undefined], [null], [{ small: numbered(3) }]])(
    "is sent as it is without such arrays: %s",
    (question) => {
      assert.strictEqual(pack(question, []).question, question)
      assert.strictEqual(unpack(pack(question, [])), question)
    }
  )
})
