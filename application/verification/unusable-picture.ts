/** Why a file is no usable picture, where its bytes say more than the reader: in words, for the caller and the trail. */
export const whyUnusable = (reason: string, bytes: Uint8Array): string | undefined => {
  if (bytes.length === 0) return "the file is empty"
  if (reason === "not-an-image") return `the file is ${kindOf(bytes)}: send a picture as JPEG, PNG, GIF or WebP`
  return reason === "corrupt" ? whyBroken(bytes) : undefined
}

/** The box at the beginning of files of the HEIF and MP4 family. */
const brand = (name: string): string => `ftyp${name}`

/** A character for each byte. */
const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes)

/** What files of other kinds have at a place near their beginning. */
const signatures: ReadonlyArray<readonly [kind: string, at: number, ...texts: ReadonlyArray<string>]> = [
  [
    "a HEIC picture, as iPhones take them",
    4,
    ...["heic", "heim", "heis", "heix", "hevc", "hevm", "hevs", "hevx"].map(brand)
  ],
  ["a HEIC picture, as cameras take them", 4, brand("mif1"), brand("msf1")],
  ["an AVIF picture", 4, brand("avif"), brand("avis")],
  ["a video", 4, "ftyp"],
  ["a video", 0, "\x1a\x45\xdf\xa3"],
  ["a video", 8, "AVI "],
  ["a PDF document", 0, "%PDF-"],
  ["a BMP picture", 0, "BM"],
  ["a TIFF picture", 0, "II*\0", "II+\0", "MM\0*", "MM\0+"],
  ["an icon", 0, "\0\0\x01\0", "\0\0\x02\0"],
  ["a JPEG XL picture", 0, "\xff\x0a", "\0\0\0\x0cJXL "],
  ["a JPEG 2000 picture", 0, "\xff\x4f\xff\x51", "\0\0\0\x0cjP  "],
  ["a Photoshop document", 0, "8BPS"],
  ["a ZIP archive or an Office document", 0, "PK\x03\x04"],
  ["a compressed file", 0, "\x1f\x8b"]
]

/** Texts that people send in place of a picture, by what they begin with. */
const texts: ReadonlyArray<readonly [kind: string, beginning: RegExp]> = [
  ["an SVG drawing", /^(?:<\?xml[^]*?)?<svg[\s>]/iu],
  ["a web page", /^(?:<!doctype html|<html[\s>])/iu],
  ["the text of a picture in base64", /^(?:data:image\/|\/9j\/|iVBORw0KGgo|R0lGOD|UklGR)/u]
]

/** Bytes that tell the kind. */
const HEAD_BYTES = 512

const kindOf = (bytes: Uint8Array): string => {
  const head = bytes.subarray(0, HEAD_BYTES)
  const start = latin1(head)
  const text = textOf(head)
  const [known] = signatures.find(([, at, ...found]) => found.some((one) => start.startsWith(one, at))) ?? []
  // A text may begin with the letters of a format, such as BM.
  if (known !== undefined && (text === undefined || !start.startsWith("BM"))) return known
  if (text === undefined) return "not one of the known formats"
  return texts.find(([, beginning]) => beginning.test(text))?.[0] ?? "text"
}

/** The text of the beginning of a file; undefined when it is none. The last character may be cut. */
const textOf = (head: Uint8Array): string | undefined => {
  const text = new TextDecoder().decode(head, { stream: true }).trim()
  return /(?![\t\n\v\f\r])\p{Cc}|\ufffd/u.test(text) ? undefined : text
}

/** How files of each format begin and end. */
const ends: ReadonlyArray<readonly [format: string, beginning: RegExp, end: RegExp]> = [
  ["JPEG", /^\xff\xd8/u, /\xff\xd9$/u],
  ["PNG", /^\x89PNG/u, /IEND\xaeB`\x82$/u],
  ["GIF", /^GIF8/u, /;$/u]
]

const lengthOfWebp = (bytes: Uint8Array): number =>
  bytes.length < 12 ? Infinity : new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true) + 8

const whyBroken = (bytes: Uint8Array): string => {
  const start = latin1(bytes.subarray(0, 12))
  const end = latin1(bytes.subarray(-12))
  const [format] = ends.find(([, beginning]) => beginning.test(start)) ?? ["WebP"]
  const isCut = ends.some(([, beginning, complete]) => beginning.test(start) && !complete.test(end))
    || (start.startsWith("RIFF") && lengthOfWebp(bytes) > bytes.length)
  return isCut
    ? `the ${format} picture has no end: its upload was cut, or it is broken`
    : `the ${format} picture is broken: it cannot be decoded`
}
