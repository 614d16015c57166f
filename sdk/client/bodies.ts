import type { Picture, Slip, SlipBatch, SlipForLater, SlipToDecode } from "./types.ts"

interface Content {
  readonly body: string | FormData
  readonly headers: Readonly<Record<string, string>>
}

/** A body of JSON. */
export const json = (value: unknown): Content => ({
  body: JSON.stringify(value),
  headers: { "content-type": "application/json" }
})

const isFile = (picture: Picture | undefined): picture is Exclude<Picture, string> =>
  picture !== undefined && typeof picture !== "string"

const blobOf = (picture: Exclude<Picture, string>): Blob => picture instanceof Blob ? picture : new Blob([picture])

/** One slip: a form when its picture is a file, which then travels as it is, JSON otherwise. */
export const slipContent = ({ image, ...fields }: Slip | SlipForLater | SlipToDecode): Content => {
  if (!isFile(image)) return json({ image, ...fields })
  const form = new FormData()
  form.append("image", blobOf(image), "slip")
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, String(value))
  return { body: form, headers: {} }
}

/** Bytes turned into text at a time: more would be too many arguments of one call. */
const AT_A_TIME = 0x8000

const base64Of = async (picture: Exclude<Picture, string>): Promise<string> => {
  const bytes = new Uint8Array(await blobOf(picture).arrayBuffer())
  let binary = ""
  for (let at = 0; at < bytes.length; at += AT_A_TIME) {
    binary += String.fromCharCode(...bytes.subarray(at, at + AT_A_TIME))
  }
  return btoa(binary)
}

const withText = async (slip: SlipForLater): Promise<object> =>
  isFile(slip.image) ? { ...slip, image: await base64Of(slip.image) } : slip

/** Many slips: always JSON, with pictures in base64. */
export const batchContent = async ({ slips, ...shared }: SlipBatch): Promise<Content> =>
  json({ ...shared, slips: await Promise.all(slips.map(withText)) })
