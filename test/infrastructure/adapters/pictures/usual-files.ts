import sharp from "sharp"
import { ascii, pngChunk, segment } from "./forged.ts"

/** The same slip as cameras, messengers and encoders write it, by name. Sharp decodes each. */
export const usual = async (large: Uint8Array): Promise<ReadonlyArray<readonly [what: string, bytes: Uint8Array]>> => {
  const slip = await sharp(large).resize({ width: 480 }).png().toBuffer()
  const frames = Array<Buffer>(12).fill(slip)
  const animation = sharp(frames, { join: { animated: true } })
  const jpeg = await sharp(slip).jpeg({ quality: 85 }).toBuffer()
  const progressive = await sharp(slip).jpeg({ quality: 85, progressive: true }).toBuffer()
  return [
    ["JPEG of a phone", phoneJpeg(jpeg)],
    ["progressive JPEG of a phone", phoneJpeg(progressive)],
    ["JPEG with bytes between its segments", spaced(jpeg)],
    ["PNG of many chunks", manyChunks(await sharp(slip).png({ compressionLevel: 0 }).toBuffer(), 8_192)],
    ["PNG of small chunks", manyChunks(await sharp(slip).png().toBuffer(), 100)],
    ["PNG with texts", withTexts(slip)],
    ["animated GIF of 12 frames", await animation.clone().gif().toBuffer()],
    ["animated WebP of 12 frames", await animation.clone().webp({ quality: 90 }).toBuffer()],
    ["animated lossless WebP of 12 frames", await animation.clone().webp({ lossless: true }).toBuffer()],
    [
      "animated WebP with alpha",
      await animation.clone().ensureAlpha(0.9).webp({ quality: 90, loop: 1, delay: 50 }).toBuffer()
    ],
    ["WebP with alpha", await sharp(slip).ensureAlpha(0.9).webp({ quality: 90 }).toBuffer()],
    ["WebP with metadata", await sharp(slip).withMetadata({ orientation: 1 }).webp({ quality: 90 }).toBuffer()]
  ]
}

/** EXIF with a thumbnail, extended XMP, a list of pictures (MPF), and a second picture after the first one. */
const phoneJpeg = (jpeg: Buffer): Uint8Array => {
  const thumbnail = jpeg.subarray(0, 20_000)
  const exif = segment(0xe1, Buffer.concat([ascii("Exif\0\0II*\0\x08\0\0\0\0\0\0\0\0\0"), thumbnail]))
  const xmp = segment(0xe1, Buffer.concat([ascii("http://ns.adobe.com/xmp/extension/\0"), Buffer.alloc(60_000, 0x20)]))
  const mpf = segment(0xe2, ascii("MPF\0MM\0*\0\0\0\x08\0\0"))
  return Buffer.concat([jpeg.subarray(0, 2), exif, xmp, xmp, mpf, jpeg.subarray(2), jpeg, ascii("trailer of a vendor")])
}

/** Bytes that are no marker, which decoders skip. */
const spaced = (jpeg: Buffer): Uint8Array => {
  const tables = jpeg.indexOf(Buffer.from([0xff, 0xc4]))
  return Buffer.concat([jpeg.subarray(0, tables), Buffer.alloc(300, 0xff), jpeg.subarray(tables)])
}

/** The same samples in chunks of `size` bytes. */
const manyChunks = (png: Buffer, size: number): Uint8Array => {
  const parts: Array<Uint8Array> = [png.subarray(0, 8)]
  const samples: Array<Uint8Array> = []
  for (let at = 8; at < png.length;) {
    const end = at + 12 + png.readUInt32BE(at)
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") samples.push(png.subarray(at + 8, end - 4))
    else if (png.toString("latin1", at + 4, at + 8) !== "IEND") parts.push(png.subarray(at, end))
    at = end
  }
  const all = Buffer.concat(samples)
  for (let at = 0; at < all.length; at += size) parts.push(pngChunk("IDAT", all.subarray(at, at + size)))
  return Buffer.concat([...parts, pngChunk("IEND", Buffer.alloc(0))])
}

/** As a program for screenshots writes them: a time, a resolution and texts, before and after the samples. */
const withTexts = (png: Buffer): Uint8Array => {
  const text = pngChunk("tEXt", ascii("Software\0screenshots"))
  const end = png.length - 12
  return Buffer.concat([png.subarray(0, 33), text, png.subarray(33, end), text, png.subarray(end)])
}
