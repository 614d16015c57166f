import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readFileSync } from "node:fs"
import { MAX_IMAGE_BYTES } from "../../../domain/slip/picture-limits.ts"
import { guard } from "../../../infrastructure/images/guard.ts"
import * as Forged from "./forged.ts"
import { fixtures, fixtureUrl } from "./fixtures.ts"

const refusal = (bytes: Uint8Array): string | undefined => Result.getOrUndefined(Result.flip(guard(bytes)))

describe("the guard before decoders", () => {
  for (const { file, format, height, width } of fixtures) {
    it(`reads the size of ${file} from its header`, () => {
      const header = Result.getOrThrow(guard(readFileSync(fixtureUrl(file))))
      assert.deepStrictEqual([header.format, header.width, header.height], [format, width, height])
    })
  }

  it("refuses sizes beyond 25 megapixels in every format", () => {
    const large = [
      Forged.jpeg({ width: 65_535, height: 65_535 }),
      Forged.png(20_000, 20_000),
      Forged.png(4_000_000_000, 4_000_000_000),
      Forged.gif([65_535, 65_535], [1, 1]),
      Forged.webpLossless(16_383, 16_383),
      Forged.webpLossy(16_383, 16_383),
      Forged.webpExtended(16_777_216, 16_777_216)
    ]
    assert.deepStrictEqual(large.map(refusal), large.map(() => "too-many-pixels"))
  })

  it("lets exactly 25 megapixels pass and one row more not", () => {
    assert.isTrue(Result.isSuccess(guard(Forged.png(5_000, 5_000))))
    assert.strictEqual(refusal(Forged.png(5_000, 5_001)), "too-many-pixels")
  })

  it("refuses what claims another size further on", () => {
    const nested = [
      Forged.jpeg({ width: 8, height: 8 }, { width: 65_535, height: 65_535 }),
      Forged.gif([8, 8], [65_535, 65_535]),
      Forged.webpNested(16_383, 16_383),
      Forged.webpAnimated(16_383, 16_383)
    ]
    assert.deepStrictEqual(nested.map(refusal), nested.map(() => "corrupt"))
  })

  it("refuses components that no colour model has, and sampling that no decoder knows", () => {
    const components = (count: number) => Array<number>(count).fill(0x11)
    assert.strictEqual(refusal(Forged.jpeg({ width: 8, height: 8, sampling: components(200) })), "corrupt")
    assert.strictEqual(refusal(Forged.jpeg({ width: 8, height: 8, sampling: components(0) })), "corrupt")
    assert.strictEqual(refusal(Forged.jpeg({ width: 8, height: 8, sampling: [0xff] })), "corrupt")
    assert.strictEqual(refusal(Forged.jpeg({ width: 8, height: 8, sampling: [0x01] })), "corrupt")
  })

  it("refuses pictures below the limit that a decoder has to hold as a whole", () => {
    const whole = [
      Forged.png(5_000, 5_000, undefined, 1),
      Forged.gif([5_000, 5_000], [5_000, 5_000]),
      Forged.webpLossless(5_000, 5_000)
    ]
    assert.deepStrictEqual(whole.map(refusal), whole.map(() => "too-many-pixels"))
    assert.isTrue(Result.isSuccess(guard(Forged.png(2_500, 3_000, undefined, 1))))
    assert.isTrue(Result.isSuccess(guard(Forged.gif([3_000, 3_000], [3_000, 3_000]))))
  })

  it("refuses a progressive JPEG whose coefficients alone would take more than 40 MB", () => {
    const full = { width: 4_000, height: 3_300, marker: 0xc2, sampling: [0x11, 0x11, 0x11] }
    assert.strictEqual(refusal(Forged.jpeg(full)), "too-many-pixels")
    assert.isTrue(Result.isSuccess(guard(Forged.jpeg({ ...full, sampling: [0x22, 0x11, 0x11] }))))
  })

  it("refuses sizes of zero", () => {
    const flat = [Forged.jpeg({ width: 8, height: 0 }), Forged.png(0, 8), Forged.gif([0, 0], [0, 0])]
    assert.deepStrictEqual(flat.map(refusal), flat.map(() => "corrupt"))
  })

  it("judges by the number of bytes first", () => {
    assert.strictEqual(refusal(new Uint8Array(MAX_IMAGE_BYTES + 1)), "too-large")
    assert.strictEqual(refusal(new Uint8Array(MAX_IMAGE_BYTES)), "not-an-image")
  })

  for (const { file } of fixtures) {
    it(`has an answer for ${file} cut off anywhere and with any byte of its head changed`, () => {
      const whole = readFileSync(fixtureUrl(file))
      for (let length = 0; length < 300; length++) guard(whole.subarray(0, length))
      for (let at = 0; at < 300; at++) {
        const changed = Uint8Array.from(whole)
        changed[at] = (changed[at] ?? 0) ^ 0xff
        const header = guard(changed)
        if (Result.isSuccess(header)) assert.isAtMost(header.success.width * header.success.height, 25_000_000)
      }
    })
  }
})
