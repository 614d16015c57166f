import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import sharp from "sharp"
import { checkHeader, decoderFile } from "../../../../infrastructure/adapters/pictures/header.ts"
import { MAX_IMAGE_BYTES } from "../../../../ports/slip-reader.ts"
import { fixtures, readFixture } from "./fixtures.ts"
import * as Forged from "./forged.ts"
import { longCodesGif, manyParts, needlessParts, progressiveJpeg } from "./many-parts.ts"
import { usual } from "./usual-files.ts"

const SLIP = "jpeg-q50-70-01.jpg"

/** The file that a decoder gets, or the reason of a refusal. */
const decoderGets = (bytes: Uint8Array): Uint8Array | string =>
  Result.match(checkHeader(bytes), { onFailure: (reason) => reason, onSuccess: decoderFile })

const fileOf = (what: string, bytes: Uint8Array): Uint8Array => {
  const file = decoderGets(bytes)
  return typeof file === "string" ? assert.fail(`${what}: ${file}`) : file
}

const pixels = (file: Uint8Array) => sharp(file, { failOn: "truncated" }).ensureAlpha().raw().toBuffer()

const assertSamePixels = async (one: Uint8Array, other: Uint8Array, what: string) =>
  assert.strictEqual(Buffer.compare(await pixels(one), await pixels(other)), 0, what)

/** Three blocks in grey, with a restart marker after each. */
const restarting = Buffer.concat([
  Buffer.from([0xff, 0xd8]),
  Forged.segment(0xdb, Buffer.from([0, ...Array<number>(64).fill(1)])),
  Forged.segment(0xc0, Buffer.from([8, 0, 8, 0, 24, 1, 1, 0x11, 0])),
  ...[0x00, 0x10].map((kind) => Forged.segment(0xc4, Buffer.from([kind, 1, ...Array<number>(15).fill(0), 0]))),
  Forged.segment(0xdd, Buffer.from([0, 1])),
  Forged.segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
  Buffer.from([0x3f, 0xff, 0xd0, 0x3f, 0xff, 0xd1, 0x3f, 0xff, 0xd9])
])

describe("the file that a decoder gets", () => {
  it("holds the first picture only, of 4 MB of frames, chunks, segments or blocks", async () => {
    const picture = await sharp(readFixture(SLIP)).resize({ width: 200 }).png().toBuffer()
    for (const { bytes, clean, what } of await manyParts(picture)) {
      assert.isAtMost(bytes.length, MAX_IMAGE_BYTES, what)
      assert.isAbove(bytes.length, 0.9 * MAX_IMAGE_BYTES, what)
      const file = fileOf(what, bytes)
      assert.isAtMost(file.length, clean.length + 50, what)
      await assertSamePixels(file, clean, what)
    }
  })

  it("has the pixels of the picture, for every fixture", async () => {
    for (const { file } of fixtures) await assertSamePixels(fileOf(file, readFixture(file)), readFixture(file), file)
  })

  it("has the pixels of the first frame, for the usual files of cameras and encoders", async () => {
    for (const [what, bytes] of await usual(readFixture(SLIP))) await assertSamePixels(fileOf(what, bytes), bytes, what)
  })

  it("is cut off where the picture is", async () => {
    const isRefused = (file: Uint8Array) => pixels(file).then(() => false, () => true)
    for (const name of [SLIP, "png-alpha-01.png", "gif-256-01.gif", "webp-lossy-01.webp", "webp-lossless-00.webp"]) {
      const whole = readFixture(name)
      for (const length of [0.3, 0.6, 0.9].map((part) => Math.floor(part * whole.length))) {
        const cut = whole.subarray(0, length)
        const file = fileOf(name, cut)
        assert.isAtMost(file.length, length, name)
        assert.strictEqual(await isRefused(file), await isRefused(cut), `${name} of ${length} bytes`)
      }
    }
  })

  it("ends at the code that completes the frame of a GIF", async () => {
    const bytes = longCodesGif(300, 4_000_000)
    const file = fileOf("GIF", bytes)
    // The codes of 90 000 pixels take 530 bytes, and a block has 255.
    assert.isAtMost(file.length, 2_000)
    await assertSamePixels(file, bytes, "GIF")
  })

  it("has the restart markers of a scan", () => {
    const file = fileOf("JPEG", Buffer.concat([restarting, restarting]))
    assert.deepStrictEqual(Buffer.from(file), restarting)
  })

  it("never exists for a picture of more parts or work than a decoder may take", () => {
    for (const { bytes, what } of needlessParts()) assert.strictEqual(decoderGets(bytes), "corrupt", what)
    assert.strictEqual(decoderGets(progressiveJpeg(4_400, 4_400, 16)), "too-many-pixels")
    assert.strictEqual(decoderGets(progressiveJpeg(1_000, 1_000, 400)), "too-many-pixels")
    assert.strictEqual(decoderGets(progressiveJpeg(64, 64, 2_000)), "corrupt")
  })

  it("may have the scans of usual progressive pictures, also of the largest", async () => {
    fileOf("6 scans in grey", progressiveJpeg(4_400, 4_400, 6))
    fileOf("64 scans", progressiveJpeg(1_000, 1_000, 64))
    for (const chromaSubsampling of ["4:2:0", "4:4:4"]) {
      const width = chromaSubsampling === "4:2:0" ? 3_600 : 2_500
      const picture = sharp({ create: { width, height: width, channels: 3, background: "#7ab" } })
      for (const mozjpeg of [false, true]) {
        fileOf(chromaSubsampling, await picture.jpeg({ progressive: true, chromaSubsampling, mozjpeg }).toBuffer())
      }
    }
  })
})
