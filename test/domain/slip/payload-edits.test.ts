import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import { encodeSlipPayload, parseSlipPayload } from "../../../domain/slip/payload.ts"
import { edits, isSpelling, slipTexts, spellings, zeroLedTexts } from "./slip-texts.ts"
import { runs } from "../../support/runs.ts"

/**
 * Asserts that a text is accepted exactly when it is a spelling of this slip, and is then read as this slip. Returns
 * the number of accepted texts.
 */
const countAccepted = (texts: Iterable<string>, canonical: string): number => {
  let accepted = 0
  for (const text of texts) {
    const parsed = parseSlipPayload(text)
    if (Result.isSuccess(parsed)) {
      accepted++
      if (parsed.success.text !== canonical) assert.fail(`${JSON.stringify(text)} became another slip`)
    }
    if (Result.isSuccess(parsed) !== isSpelling(text, canonical)) {
      assert.fail(`${JSON.stringify(text)} is ${Result.isSuccess(parsed) ? "" : "not "}accepted as ${canonical}`)
    }
  }
  return accepted
}

describe("one character replaced, inserted or removed, or two swapped", () => {
  it.each([
    ["KBank", encodeSlipPayload("004", "013071152533APM07736")],
    ["Bangkok Bank", encodeSlipPayload("002", "2026112115450000000000001")],
    ["SCB", encodeSlipPayload("014", "202611210aBcDeFgHiJkLmNoP")],
    ["the shortest reference", encodeSlipPayload("014", "x")],
    ["a reference that looks like the grammar", encodeSlipPayload("910", "49104910391045102TH910")]
  ])("never turns a slip of %s into another slip", (_, canonical) => {
    assert.isAbove(countAccepted(edits(canonical), canonical), 0, "the unchanged text is among the edits")
  })

  const zeroLed = encodeSlipPayload("004", "016325120000BPP00000")
  it.each([
    ...spellings(zeroLed),
    zeroLed.replace("095A", "095a")
  ])("never turns a slip whose checksum begins with a zero into another slip: %s", (spelling) => {
    assert.isAbove(countAccepted(edits(spelling), zeroLed), 0)
  })

  it("never turns a slip whose checksum begins with two zeros into another slip", () => {
    const canonical = Array.from({ length: 5_000 }, (_, n) => encodeSlipPayload("014", `twoZeros${n}`))
      .find((text) => text.slice(-4).startsWith("00")) ?? assert.fail("no such slip")
    for (const spelling of spellings(canonical)) assert.isAbove(countAccepted(edits(spelling), canonical), 0)
  })

  const Pick = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 }))
  const options = { arbitrary: { runs: runs(100) } }

  it.prop("never turns a slip into another slip", [slipTexts, Pick], ([canonical, pick]) => {
    countAccepted(slice(edits(canonical), pick % 5_000, 40), canonical)
  }, options)

  it.prop("never turns a notation of a slip into another slip", [zeroLedTexts, Pick], ([canonical, pick]) => {
    for (const spelling of spellings(canonical)) countAccepted(slice(edits(spelling), pick % 5_000, 20), canonical)
  }, options)
})

describe("the forms of lost zeros", () => {
  it.prop("are read as the original slip", [zeroLedTexts], ([canonical]) => {
    for (const text of spellings(canonical).slice(1)) {
      const slip = Result.getOrThrow(parseSlipPayload(text))
      assert.deepInclude(slip, { text: canonical, crc: "repaired" })
      assert.strictEqual(encodeSlipPayload(slip.sendingBank, slip.transRef), canonical)
    }
  })

  const otherTexts = Arbitrary.filter(slipTexts, (text) => text.at(-4) !== "0")
  it.prop("do not allow another digit to be missing", [otherTexts], ([text]) => {
    const body = text.slice(0, -4)
    const end = text.slice(-3)
    for (const lost of [body + end, `${body.slice(0, -1)}3${end}`, text.slice(0, -1)]) {
      assert.isTrue(Result.isFailure(parseSlipPayload(lost)), lost)
    }
  })
})

const slice = function* (texts: Iterable<string>, from: number, count: number): Generator<string> {
  let at = 0
  for (const text of texts) {
    if (at >= from + count) return
    if (at++ >= from) yield text
  }
}
