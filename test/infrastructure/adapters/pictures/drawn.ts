import sharp from "sharp"

/** An odd width: rows of less than 8 bits a pixel then end in the middle of a byte. Small, because each form is drawn. */
const WIDTH = 511

/** The same slip in rare forms of each format, by name. */
export const drawn = async (large: Uint8Array): Promise<ReadonlyArray<readonly [form: string, image: Uint8Array]>> => {
  const slip = await sharp(large).resize({ width: WIDTH }).png().toBuffer()
  const picture = () => sharp(slip)
  const clear = await picture().threshold(140).png().toBuffer()
  const overlay = async () => sharp(await transparentSlip(clear))
  const frames = await sharp([slip, slip], { join: { animated: true } }).webp({ loop: 0, quality: 90 }).toBuffer()
  const animation = await sharp([slip, slip], { join: { animated: true } }).gif().toBuffer()
  const forms: ReadonlyArray<readonly [string, Promise<Uint8Array>]> = [
    ["interlaced PNG", picture().png({ progressive: true }).toBuffer()],
    ["interlaced PNG of 16 bits", picture().toColourspace("rgb16").png({ progressive: true }).toBuffer()],
    ["grey PNG", sharp(clear).toColourspace("b-w").png().toBuffer()],
    ["PNG of two colours", sharp(clear).png({ palette: true, colours: 2 }).toBuffer()],
    ["PNG of four colours", sharp(clear).png({ palette: true, colours: 4 }).toBuffer()],
    ["PNG with a transparent ground", (await overlay()).png().toBuffer()],
    ["WebP with a transparent ground", (await overlay()).webp({ lossless: true }).toBuffer()],
    ["PNG of a light code on a transparent ground", lightSlip(clear)],
    ["WebP of a light code on a transparent ground", lightSlip(clear).then((file) => sharp(file).webp().toBuffer())],
    ["animated WebP", Promise.resolve(frames)],
    ["animated GIF", Promise.resolve(animation)],
    ["interlaced GIF", picture().gif({ progressive: true }).toBuffer()],
    ["grey JPEG", picture().toColourspace("b-w").jpeg().toBuffer()],
    ["JPEG without colour subsampling", picture().jpeg({ chromaSubsampling: "4:4:4" }).toBuffer()],
    ...[2, 3, 4, 5, 6, 7, 8].map((orientation) =>
      [`JPEG of orientation ${orientation}`, stored(slip, orientation)] as const
    )
  ]
  return Promise.all(forms.map(async ([form, image]) => [form, await image] as const))
}

/** Black where the slip is dark, and transparent black everywhere else. */
const transparentSlip = (clear: Uint8Array): Promise<Uint8Array> => onTransparent(clear, "#000")

/** White where the slip is dark, and transparent white everywhere else: the picture of a dark page. */
const lightSlip = (clear: Uint8Array): Promise<Uint8Array> => onTransparent(clear, "#fff")

const onTransparent = async (clear: Uint8Array, background: string): Promise<Uint8Array> => {
  const { data, info } = await sharp(clear).toColourspace("b-w").negate().raw().toBuffer({ resolveWithObject: true })
  return sharp({ create: { width: info.width, height: info.height, channels: 3, background } })
    .joinChannel(data, { raw: { width: info.width, height: info.height, channels: 1 } })
    .png()
    .toBuffer()
}

/** The slip stored with the inverse of the orientation, so that only the EXIF tag makes it upright. */
const stored = async (slip: Uint8Array, orientation: number): Promise<Uint8Array> => {
  const picture = sharp(slip)
  if (orientation === 2) picture.flop()
  if (orientation === 3) picture.rotate(180)
  if (orientation === 4) picture.flip()
  if (orientation === 6) picture.rotate(270)
  if (orientation === 8) picture.rotate(90)
  if (orientation === 5) picture.rotate(270).flip()
  if (orientation === 7) picture.rotate(90).flip()
  return picture.withMetadata({ orientation }).jpeg({ quality: 85 }).toBuffer()
}
