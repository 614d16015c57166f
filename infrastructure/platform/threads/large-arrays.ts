/** Where the bytes of a field are in the buffer that travels for it. */
type Place = readonly [offset: number, length: number]

export interface Packed<Question> {
  readonly question: Question
  /** The fields whose buffers travel instead of their arrays. */
  readonly places: Readonly<Record<string, Place>> | undefined
}

/** Arrays from this length travel as buffers. */
const LARGE = 16 * 1024

const isLarge = (value: unknown): value is Uint8Array<ArrayBuffer> =>
  value instanceof Uint8Array && value.length >= LARGE && value.buffer instanceof ArrayBuffer

/**
 * Replaces the large arrays of a question, its fields, by their buffers. Deno looks at each element of an array that is sent
 * to a thread, which takes a quarter of a second for each megabyte, and at none of a buffer.
 */
export const pack = <Question>(question: Question, transfer: ReadonlyArray<ArrayBuffer>): Packed<Question> => {
  if (typeof question !== "object" || question === null || Array.isArray(question)) {
    return { question, places: undefined }
  }
  const large = Object.entries(question).filter((entry): entry is [string, Uint8Array<ArrayBuffer>] =>
    isLarge(entry[1])
  )
  if (large.length === 0) return { question, places: undefined }
  const fields: Record<string, unknown> = Object.fromEntries(Object.entries(question))
  const places: Record<string, Place> = {}
  for (const [name, array] of large) {
    const { buffer, byteOffset, length } = array
    const isWhole = length === buffer.byteLength || transfer.includes(buffer)
    fields[name] = isWhole ? buffer : buffer.slice(byteOffset, byteOffset + length)
    places[name] = [isWhole ? byteOffset : 0, length]
  }
  return { question: fields as Question, places }
}

/** The question that was packed. A `Buffer` is a `Uint8Array` then, as in every message to a thread. */
export const unpack = <Question>({ places, question }: Packed<Question>): Question => {
  if (places === undefined) return question
  const fields = { ...question } as Record<string, unknown>
  for (const [name, [offset, length]] of Object.entries(places)) {
    const buffer = fields[name]
    if (buffer instanceof ArrayBuffer) fields[name] = new Uint8Array(buffer, offset, length)
  }
  return fields as Question
}
