import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { deflateSync } from "node:zlib"
import sharp from "sharp"
import { checkHeader } from "../../../../infrastructure/adapters/pictures/header.ts"
import { decodePortable } from "../../../../infrastructure/adapters/pictures/portable-decoders.ts"
import { toGrey } from "../../../../infrastructure/adapters/pictures/grey.ts"
import type { Ground } from "../../../../infrastructure/adapters/pictures/reading.ts"
import * as Forged from "./forged.ts"

const decode = async (bytes: Uint8Array, ground: Ground = 255) => {
  const samples = await decodePortable({ bytes, header: Result.getOrThrow(checkHeader(bytes)) })
  return samples === undefined ? undefined : toGrey(samples, ground)
}

describe("the portable decoders", () => {
  it("do not decode a PNG that inflates to more than its samples", async () => {
    const samples = (count: number) => deflateSync(Buffer.alloc(count))
    assert.isDefined(await decode(Forged.png(100, 100, samples(100 * 401))))
    assert.isUndefined(await decode(Forged.png(100, 100, samples(10_000_000))))
  })

  it("decode interlaced PNGs of every small size", async () => {
    for (const width of [1, 2, 3, 5, 9, 17]) {
      for (const height of [1, 2, 3, 5, 9, 17]) {
        const empty = sharp({ create: { width, height, channels: 3, background: "#808080" } })
        const grey = await decode(await empty.png({ progressive: true }).toBuffer())
        assert.deepStrictEqual(grey, { data: new Uint8Array(width * height).fill(128), width, height })
      }
    }
  })

  it("show transparent pixels as the ground, with 8 and 16 bits a sample", async () => {
    const clear = sharp({ create: { width: 4, height: 4, channels: 4, background: "#00000080" } })
    for (const image of [clear.clone().png(), clear.clone().toColourspace("rgb16").png(), clear.clone().webp()]) {
      const file = await image.toBuffer()
      assert.deepStrictEqual((await decode(file))?.data, new Uint8Array(16).fill(127))
      assert.deepStrictEqual((await decode(file, 0))?.data, new Uint8Array(16).fill(0))
    }
  })
})
