import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { MAX_IMAGE_BYTES } from "../../../../ports/slip-reader.ts"
import { checkHeader } from "../../../../infrastructure/adapters/pictures/header.ts"
import * as Forged from "./forged.ts"
import { fixtures, readFixture } from "./fixtures.ts"

const refusal = (bytes: Uint8Array): string | undefined => Result.getOrUndefined(Result.flip(checkHeader(bytes)))

const assertRefused = (pictures: ReadonlyArray<Uint8Array>, reason: string) =>
  assert.deepStrictEqual(pictures.map(refusal), pictures.map(() => reason))

describe("the header check", () => {
  it("reads the format and the size of every fixture", () => {
    for (const { file, format, height, width } of fixtures) {
      const header = Result.getOrThrow(checkHeader(readFixture(file)))
      assert.deepStrictEqual([header.format, header.width, header.height], [format, width, height], file)
    }
  })

  it("refuses more than 25 megapixels in every format", () => {
    assertRefused([
      Forged.jpeg({ width: 65_535, height: 65_535 }),
      Forged.png(20_000, 20_000),
      Forged.png(4_000_000_000, 4_000_000_000),
      Forged.png(5_000, 5_001),
      Forged.gif([65_535, 65_535], [1, 1]),
      Forged.webpLossless(16_383, 16_383),
      Forged.webpLossy(16_383, 16_383),
      Forged.webpExtended(16_777_216, 16_777_216)
    ], "too-many-pixels")
    assert.isUndefined(refusal(Forged.png(5_000, 5_000)))
  })

  it("refuses a side of more than 16 384 pixels, however small the other one is", () => {
    assertRefused([
      Forged.png(25_000_000, 1),
      Forged.png(16_385, 8),
      Forged.png(8, 16_385),
      Forged.jpeg({ width: 16_385, height: 8 }),
      Forged.gif([16_385, 8], [8, 8])
    ], "too-many-pixels")
    assert.isUndefined(refusal(Forged.png(16_384, 1_500)))
  })

  it("refuses a nested part that claims more than the picture", () => {
    assertRefused([
      Forged.jpeg({ width: 8, height: 8 }, { width: 65_535, height: 65_535 }),
      Forged.gif([8, 8], [65_535, 65_535]),
      Forged.webpNested(16_383, 16_383),
      Forged.webpAnimated(16_383, 16_383)
    ], "corrupt")
  })

  it("refuses a JPEG with an invalid number of components or invalid sampling factors", () => {
    const components = (count: number) => Array<number>(count).fill(0x11)
    const samplings = [components(200), components(0), [0xff], [0x01]]
    assertRefused(samplings.map((sampling) => Forged.jpeg({ width: 8, height: 8, sampling })), "corrupt")
  })

  it("refuses fewer pixels where a decoder must hold the whole picture", () => {
    assertRefused([
      Forged.png(5_000, 5_000, undefined, 1),
      Forged.gif([5_000, 5_000], [5_000, 5_000]),
      Forged.webpLossless(5_000, 5_000)
    ], "too-many-pixels")
    assert.isUndefined(refusal(Forged.png(2_500, 3_000, undefined, 1)))
    assert.isUndefined(refusal(Forged.gif([3_000, 3_000], [3_000, 3_000])))
  })

  it("refuses a progressive JPEG of more than 20 million samples", () => {
    const full = { width: 4_000, height: 3_300, marker: 0xc2, sampling: [0x11, 0x11, 0x11] }
    assert.strictEqual(refusal(Forged.jpeg(full)), "too-many-pixels")
    assert.isUndefined(refusal(Forged.jpeg({ ...full, sampling: [0x22, 0x11, 0x11] })))
  })

  it("refuses a width or height of zero", () => {
    assertRefused([Forged.jpeg({ width: 8, height: 0 }), Forged.png(0, 8), Forged.gif([0, 0], [0, 0])], "corrupt")
  })

  it("checks the number of bytes before the format", () => {
    assert.strictEqual(refusal(new Uint8Array(MAX_IMAGE_BYTES + 1)), "too-large")
    assert.strictEqual(refusal(new Uint8Array(MAX_IMAGE_BYTES)), "not-an-image")
  })

  it("answers for every fixture cut off at, or changed in, each of the first 300 bytes", () => {
    for (const { file } of fixtures) {
      const whole = readFixture(file)
      for (let at = 0; at < 300; at++) {
        checkHeader(whole.subarray(0, at))
        const changed = Uint8Array.from(whole)
        changed[at] = (changed[at] ?? 0) ^ 0xff
        const header = checkHeader(changed)
        if (Result.isSuccess(header)) assert.isAtMost(header.success.width * header.success.height, 25_000_000)
      }
    }
  })
})
