import { Buffer } from "node:buffer"

// The part of the wire format of Protocol Buffers that the two hot calls need. The classes of google-protobuf cost several
// times the processor time, because they copy each message into arrays. Every field has a number below 16.

const VARINT = 0
const FIXED64 = 1
const BYTES = 2
const FIXED32 = 5

/** A field of a message: a number from 0 to 2^53, text, bytes, or the fields of another message. */
export interface Field {
  readonly number: number
  readonly value: number | string | Uint8Array | ReadonlyArray<Field>
  /** The length of the value in bytes. */
  readonly length: number
}

export const field = (number: number, value: Field["value"]): Field => ({ number, value, length: lengthOf(value) })

const lengthOf = (value: Field["value"]): number => {
  if (typeof value === "number") return lengthOfVarint(value)
  if (typeof value === "string") return Buffer.byteLength(value)
  return value instanceof Uint8Array ? value.length : lengthOfAll(value)
}

const lengthOfVarint = (value: number): number => {
  let length = 1
  for (let left = value; left >= 0x80; left = Math.floor(left / 0x80)) length++
  return length
}

const lengthOfAll = (fields: ReadonlyArray<Field>): number => {
  let all = 0
  for (const { length, value } of fields) all += 1 + (typeof value === "number" ? 0 : lengthOfVarint(length)) + length
  return all
}

export const encodeMessage = (fields: ReadonlyArray<Field>): Buffer => {
  const bytes = Buffer.allocUnsafe(lengthOfAll(fields))
  writeFields(bytes, 0, fields)
  return bytes
}

/** Returns the place after the fields. */
const writeFields = (bytes: Buffer, start: number, fields: ReadonlyArray<Field>): number => {
  let at = start
  for (const { length, number, value } of fields) {
    const isNumber = typeof value === "number"
    bytes[at++] = number << 3 | (isNumber ? VARINT : BYTES)
    at = writeVarint(bytes, at, isNumber ? value : length)
    if (isNumber) continue
    if (typeof value === "string") at += bytes.write(value, at, length, "utf8")
    else if (!(value instanceof Uint8Array)) at = writeFields(bytes, at, value)
    else {
      bytes.set(value, at)
      at += length
    }
  }
  return at
}

const writeVarint = (bytes: Buffer, start: number, value: number): number => {
  let at = start
  let left = value
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes[at++] = left % 0x80 | 0x80
  bytes[at++] = left
  return at
}

/**
 * Reads a message field by field. Throws when the message ends in the middle of a field. A field may also have a number
 * that the caller does not know.
 */
export class MessageReader {
  /** The number of the current field. */
  field = 0
  readonly #bytes: Buffer
  readonly #end: number
  #at: number
  /** The content of a field of bytes, or the place of a number. */
  #start = 0
  #stop = 0

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.#bytes = bytes
    this.#at = start
    this.#end = end
  }

  /** Moves to the next field; false at the end of the message. */
  next(): boolean {
    if (this.#at >= this.#end) return false
    const key = this.#varint()
    this.field = key >>> 3
    const length = this.#lengthOf(key & 7)
    this.#start = this.#at
    this.#stop = this.#at += length
    if (this.#at > this.#end) throw new Error("a message ends too early")
    return true
  }

  text(): string {
    return this.#bytes.toString("utf8", this.#start, this.#stop)
  }

  content(): Buffer {
    return this.#bytes.subarray(this.#start, this.#stop)
  }

  message(): MessageReader {
    return new MessageReader(this.#bytes, this.#start, this.#stop)
  }

  /** A whole number. One above 2^53 is rounded. */
  number(): number {
    let value = 0
    for (let at = this.#stop - 1; at >= this.#start; at--) value = value * 0x80 + (this.#byte(at) & 0x7f)
    return value
  }

  bigint(): bigint {
    // Seven bytes hold 49 bits, which a number represents exactly.
    if (this.#stop - this.#start <= 7) return BigInt(this.number())
    let value = 0n
    for (let at = this.#stop - 1; at >= this.#start; at--) value = value << 7n | BigInt(this.#byte(at) & 0x7f)
    return BigInt.asUintN(64, value)
  }

  #lengthOf(wireType: number): number {
    if (wireType === BYTES) return this.#varint()
    if (wireType === FIXED64) return 8
    if (wireType === FIXED32) return 4
    if (wireType !== VARINT) throw new Error(`a message has a field of the unknown wire type ${wireType}`)
    let length = 1
    while (this.#byte(this.#at + length - 1) >= 0x80) length++
    return length
  }

  /** A key or a length, which are below 2^32. */
  #varint(): number {
    let value = 0
    let factor = 1
    let byte: number
    do {
      byte = this.#byte(this.#at++)
      value += (byte & 0x7f) * factor
      factor *= 0x80
    } while (byte >= 0x80)
    return value
  }

  #byte(at: number): number {
    const byte = at < this.#end ? this.#bytes[at] : undefined
    if (byte === undefined) throw new Error("a message ends too early")
    return byte
  }
}
