import { assert, beforeAll, describe, it } from "@effect/vitest"
import { loadTypeface, type Typeface } from "../../../../../infrastructure/adapters/banks/sandbox/svg-text.ts"

describe("Thai text as SVG", () => {
  let typeface: Typeface
  beforeAll(async () => {
    typeface = await loadTypeface()
  })

  it("stacks vowels and tone marks without a wider line", () => {
    const bare = typeface.line("ทน", 40, "regular")
    const marked = typeface.line("ที่นู้", 40, "regular")

    assert.strictEqual(marked.width, bare.width)
    assert.isAbove(marked.glyphs.length, bare.glyphs.length)
  })

  it("looks the same beside Latin letters as alone", () => {
    const alone = typeface.line("ที่นี้", 40, "bold")
    const latin = typeface.line("SCB ", 40, "bold")
    const mixed = typeface.line("SCB ที่นี้", 40, "bold")

    assert.closeTo(mixed.width, latin.width + alone.width, 1e-9)
    assert.deepStrictEqual(
      mixed.glyphs.slice(latin.glyphs.length).map(({ path }) => path),
      alone.glyphs.map(({ path }) => path)
    )
  })

  it("refuses a character that the font does not have instead of drawing a box", () => {
    assert.throws(() => typeface.line("漢", 40, "regular"), RangeError)
  })
})
