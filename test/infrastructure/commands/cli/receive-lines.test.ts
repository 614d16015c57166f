import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { receiveLines, receiveText } from "../../../../infrastructure/commands/cli/receive-lines.ts"

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A file in parts, with the number of parts that were read. */
const given = (parts: ReadonlyArray<Uint8Array>) => {
  const read = { count: 0 }
  return { read, part: Effect.sync(() => parts[read.count++]) }
}

describe("receiving lines", () => {
  it.effect("passes whole lines, also when a part ends within a character", function* () {
    const bytes = bytesOf("ช้า\nเร็ว\n\nx\n")
    for (let size = 1; size <= bytes.length; size++) {
      const parts = Array.from(
        { length: Math.ceil(bytes.length / size) },
        (_, index) => bytes.subarray(index * size, (index + 1) * size)
      )
      const taken: Array<string> = []
      yield* receiveLines(given(parts).part, (lines) => Effect.sync(() => void taken.push(lines)))
      assert.strictEqual(taken.join(""), "ช้า\nเร็ว\n\nx\n")
      assert.isTrue(taken.every((lines) => lines.endsWith("\n")))
    }
  })

  it.effect("reads the next part after the lines of the last one are taken", function* () {
    const { part, read } = given([bytesOf("a\n"), bytesOf("b\n"), bytesOf("c\n")])
    const reads: Array<number> = []
    yield* receiveLines(part, () => Effect.andThen(Effect.yieldNow, Effect.sync(() => void reads.push(read.count))))
    assert.deepStrictEqual(reads, [1, 2, 3])
  })

  it.effect("refuses a line that is cut off, and one without an end", function* () {
    const cut = yield* Effect.flip(receiveText(given([bytesOf("a\nb")]).part))
    assert.include(cut.message, "ended within a line")
    const endless = yield* Effect.flip(receiveText(Effect.succeed(new Uint8Array(8 * 1024 * 1024))))
    assert.include(endless.message, "a line of more than")
  })

  it.effect("holds a text of limited length only", function* () {
    assert.strictEqual(yield* receiveText(given([bytesOf("a\n"), bytesOf("b\n")]).part), "a\nb\n")
    const page = bytesOf(`${"x".repeat(8 * 1024 * 1024)}\n`)
    const long = yield* Effect.flip(receiveText(Effect.succeed(page)))
    assert.include(long.message, "not of a service of SlipTrail")
  })
})
