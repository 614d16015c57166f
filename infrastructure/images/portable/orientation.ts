import type { Grey } from "../grey.ts"

const EXIF = "Exif\0\0"
const ORIENTATION = 0x0112

/** The orientation (1 to 8) that an EXIF segment of a JPEG gives; undefined for anything else, broken EXIF included. */
export const readOrientation = (segment: Uint8Array): number | undefined => {
  if (segment.length < 14 || String.fromCharCode(...segment.subarray(0, 6)) !== EXIF) return undefined
  const tiff = new DataView(segment.buffer, segment.byteOffset + 6, segment.length - 6)
  const isLittle = tiff.getUint16(0) === 0x4949
  const directory = tiff.getUint32(4, isLittle)
  if (directory + 2 > tiff.byteLength) return undefined
  const end = Math.min(directory + 2 + 12 * tiff.getUint16(directory, isLittle), tiff.byteLength)
  for (let at = directory + 2; at + 12 <= end; at += 12) {
    if (tiff.getUint16(at, isLittle) !== ORIENTATION) continue
    const value = tiff.getUint16(at + 8, isLittle)
    return value >= 1 && value <= 8 ? value : undefined
  }
  return undefined
}

/** The picture as it is meant to be seen, from how it was stored (EXIF 2.3, tag 0x0112). */
export const turned = (grey: Grey, orientation: number): Grey => {
  if (orientation < 2 || orientation > 8) return grey
  const { data, height, width } = grey
  const isAcross = orientation >= 5
  const size = isAcross ? { width: height, height: width } : { width, height }
  const fromRight = [2, 3, 7, 8].includes(orientation)
  const fromBelow = [3, 4, 6, 7].includes(orientation)
  const turnedData = new Uint8Array(data.length)
  for (let y = 0, to = 0; y < size.height; y++) {
    for (let x = 0; x < size.width; x++, to++) {
      const storedX = isAcross ? y : x
      const storedY = isAcross ? x : y
      const column = fromRight ? width - 1 - storedX : storedX
      const row = fromBelow ? height - 1 - storedY : storedY
      turnedData[to] = data[row * width + column] ?? 0
    }
  }
  return { data: turnedData, ...size }
}
