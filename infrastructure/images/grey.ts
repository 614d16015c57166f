/** A picture in grey, one byte a pixel, row by row from the top left. */
export interface Grey {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

/** Brightness of a colour of 8-bit samples as people see it (Rec. 601), 0 to 255. */
export const luma = (red: number, green: number, blue: number): number => (red * 77 + green * 150 + blue * 29) >> 8

/** What is seen of a brightness on white paper; `alpha` 0 to 255. */
export const onWhite = (brightness: number, alpha: number): number =>
  alpha === 255 ? brightness : 255 - Math.round(((255 - brightness) * alpha) / 255)

/** Pixels of four bytes (red, green, blue, alpha) in grey, on white. */
export const rgbaToGrey = (rgba: ArrayLike<number>, width: number, height: number): Grey => {
  const data = new Uint8Array(width * height)
  for (let to = 0, from = 0; to < data.length; to++, from += 4) {
    data[to] = onWhite(luma(rgba[from] ?? 0, rgba[from + 1] ?? 0, rgba[from + 2] ?? 0), rgba[from + 3] ?? 255)
  }
  return { data, width, height }
}
