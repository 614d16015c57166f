import { assert, describe, it } from "@effect/vitest"
import sharp, { type Sharp } from "sharp"
import type { Grey } from "../../../infrastructure/images/grey.ts"
import { decodeGif } from "../../../infrastructure/images/portable/gif.ts"
import { decodePng } from "../../../infrastructure/images/portable/png.ts"
import { readFixture } from "./fixtures.ts"
import * as Forged from "./forged.ts"

/** A slip with an odd width, so that rows end in the middle of a byte. */
const slip = () => sharp(readFixture("jpeg-q50-70-01.jpg")).resize({ width: 333 })

/** What another decoder sees in the same file, on white. */
const seen = async (image: Uint8Array): Promise<Uint8Array> => {
  const colours = sharp(image).flatten({ background: "#fff" }).toColourspace("srgb").removeAlpha()
  const { data, info } = await colours.raw().toBuffer({ resolveWithObject: true })
  return Uint8Array.from({ length: info.width * info.height }, (_, at) => {
    const [red = 0, green = red, blue = red] = data.subarray(at * info.channels, (at + 1) * info.channels)
    return (red * 77 + green * 150 + blue * 29) >> 8
  })
}

const assertSame = async (image: Uint8Array, decode: (bytes: Uint8Array) => Grey, form: string) => {
  const expected = await seen(image)
  const { data } = decode(image)
  assert.strictEqual(data.length, expected.length, form)
  const worst = data.reduce((most, value, at) => Math.max(most, Math.abs(value - (expected[at] ?? 0))), 0)
  assert.isAtMost(worst, 2, form)
}

const transparent = () => slip().ensureAlpha(0.4)

const pngs: Readonly<Record<string, () => Sharp>> = {
  "colour": () => slip().png(),
  "colour, interlaced": () => slip().png({ progressive: true }),
  "colour of 16 bits": () => slip().toColourspace("rgb16").png(),
  "grey": () => slip().toColourspace("b-w").png(),
  "grey of 16 bits, interlaced": () => slip().toColourspace("grey16").png({ progressive: true }),
  "palette of 256": () => slip().png({ palette: true }),
  "palette of 16, interlaced": () => slip().png({ palette: true, colours: 16, progressive: true }),
  "palette of 4": () => slip().png({ palette: true, colours: 4 }),
  "palette of 2": () => slip().png({ palette: true, colours: 2 }),
  "palette with alpha": () => transparent().png({ palette: true }),
  "colour with alpha": () => transparent().png(),
  "colour with alpha of 16 bits": () => transparent().toColourspace("rgb16").png(),
  "grey with alpha": () => slip().toColourspace("b-w").ensureAlpha(0.4).png(),
  "no filters": () => slip().png({ adaptiveFiltering: false }),
  "all filters": () => slip().png({ adaptiveFiltering: true })
}

describe("the decoders without native code", () => {
  for (const [form, make] of Object.entries(pngs)) {
    it(`sees in a PNG (${form}) what libpng sees`, async () => {
      await assertSame(await make().toBuffer(), decodePng, form)
    })
  }

  it("sees in a GIF what another decoder sees, interlaced or not, with few colours or many", async () => {
    for (const progressive of [false, true]) {
      for (const colours of [2, 5, 16, 256]) {
        const image = await slip().gif({ colours, progressive }).toBuffer()
        await assertSame(image, decodeGif, `${colours} colours, interlaced ${progressive}`)
      }
    }
  })

  it("sees white where a GIF is transparent", async () => {
    const image = await transparentDisc().gif().toBuffer()
    await assertSame(image, decodeGif, "disc")
  })

  it("stops at the last row of a PNG whose stream goes on for gigabytes", () => {
    const { data } = decodePng(Forged.png(8, 8, Forged.zeros(3_500)))
    assert.deepStrictEqual(data, new Uint8Array(64).fill(255))
  })

  it("refuses a PNG and a GIF that end before their last row", async () => {
    const png = await slip().png().toBuffer()
    const gif = await slip().gif().toBuffer()
    for (const share of [0.1, 0.5, 0.9]) {
      assert.throws(() => decodePng(png.subarray(0, png.length * share)))
      assert.throws(() => decodeGif(gif.subarray(0, gif.length * share)))
    }
  })
})

const transparentDisc = () =>
  sharp(Buffer.from("<svg width='91' height='91'><circle cx='45' cy='45' r='30' fill='#248'/></svg>"))
