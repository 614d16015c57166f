import { Result } from "effect"
import { chunkSizeOf, type Framing, framingOf, makeFields, statusOf } from "./answer-lines.ts"
import { makeByteBuffer } from "./byte-buffer.ts"

/** What is read of an answer. */
export interface AnswerLimits {
  readonly maxBytes: number
  /** For a longer body: fail with `too-large`, or end with the first `maxBytes` bytes. */
  readonly overflow: "fail" | "truncate"
  /** Whether to read the body. A redirect is followed without its body, which stays empty. */
  readonly wantsBody: (head: Head) => boolean
}

export interface Head {
  readonly status: number
  /** Names in lower case, repeated ones joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
}

export interface Answer extends Head {
  readonly body: Uint8Array
}

/** Why an answer cannot be read to its end. */
export interface AnswerFault {
  readonly reason: "unreachable" | "too-large"
  readonly detail: string
}

/** Reads one answer from the bytes of its connection. */
export interface AnswerReader {
  /** Takes the next bytes. Undefined while the answer is incomplete. */
  readonly read: (bytes: Uint8Array) => Outcome | undefined
  /** The server closed the connection. */
  readonly end: () => Outcome
  /** The answer as far as it was read; undefined before its status. */
  readonly soFar: () => Answer | undefined
}

type Outcome = Result.Result<Answer, AnswerFault>

/** Limit of the status line and the headers together. */
export const MAX_HEAD_BYTES = 128 * 1024

/** What the next bytes are: a line of one of these kinds, or content. */
type Part = "status" | "field" | "chunk-size" | "chunk-end" | "content"

/**
 * A lenient reader of HTTP/1 answers. Lines end with LF or CRLF. Interim answers (1xx) are skipped. What follows the
 * answer, such as trailers, is not read.
 */
export const makeAnswerReader = ({ maxBytes, overflow, wantsBody }: AnswerLimits): AnswerReader => {
  const fields = makeFields()
  const line = makeByteBuffer()
  const body = makeByteBuffer()
  let part: Part = "status"
  let status: number | undefined
  let hasInterim = false
  let framing: Framing | undefined
  /** Bytes left for lines. */
  let lineBytes = MAX_HEAD_BYTES
  /** Bytes left of the body, or of its chunk. */
  let contentBytes = Infinity

  const answer = (known: number): Answer => ({ status: known, headers: fields.all(), body: body.first(maxBytes) })

  const complete = (): Outcome => status === undefined ? notHttp : Result.succeed(answer(status))

  const takeStatus = (text: string) => {
    const found = statusOf(text)
    // Empty lines come before an answer, the headers of an interim answer after its status line.
    if (found === undefined) return hasInterim || text.trim() === "" ? undefined : notHttp
    hasInterim = isInterim(found)
    if (hasInterim) return undefined
    status = found
    part = "field"
    return found === SWITCHING ? broken("the server switched to another protocol") : undefined
  }

  const takeField = (text: string) => {
    if (text !== "") {
      fields.add(text)
      return undefined
    }
    const head: Head = { status: status ?? 0, headers: fields.all() }
    if (!wantsBody(head) || (overflow === "truncate" && maxBytes === 0)) return complete()
    framing = framingOf(head.status, head.headers)
    // The sizes of small chunks take more bytes than the chunks.
    lineBytes = MAX_HEAD_BYTES + maxBytes
    part = framing._tag === "Chunks" ? "chunk-size" : "content"
    if (framing._tag !== "Length") return undefined
    contentBytes = framing.bytes
    if (overflow === "fail" && contentBytes > maxBytes) return tooLarge(maxBytes)
    return contentBytes === 0 ? complete() : undefined
  }

  const takeChunkSize = (text: string) => {
    const size = chunkSizeOf(text)
    if (size === undefined) return broken("the size of a chunk is no number")
    contentBytes = size
    part = "content"
    return size === 0 ? complete() : undefined
  }

  const takeChunkEnd = (text: string) => {
    part = "chunk-size"
    return text === "" ? undefined : broken("a chunk is longer than its size")
  }

  const takeContent = (bytes: Uint8Array) => {
    body.append(bytes)
    contentBytes -= bytes.byteLength
    if (overflow === "fail" && body.size() > maxBytes) return tooLarge(maxBytes)
    if (overflow === "truncate" && body.size() >= maxBytes) return complete()
    if (contentBytes > 0) return undefined
    if (framing?._tag !== "Chunks") return complete()
    part = "chunk-end"
    return undefined
  }

  const takeLine = { "status": takeStatus, "field": takeField, "chunk-size": takeChunkSize, "chunk-end": takeChunkEnd }

  return {
    read: (bytes) => {
      for (let at = 0; at < bytes.byteLength;) {
        let outcome: Outcome | undefined
        if (part === "content") {
          const content = bytes.subarray(at, at + contentBytes)
          at += content.byteLength
          outcome = takeContent(content)
        } else {
          const end = bytes.indexOf(LF, at)
          const piece = bytes.subarray(at, end < 0 ? bytes.byteLength : end + 1)
          at += piece.byteLength
          line.append(piece.subarray(0, lineBytes))
          lineBytes -= piece.byteLength
          if (lineBytes < 0) return broken("its headers are too long")
          if (end < 0) return undefined
          const text = textOf(line.first(Infinity))
          line.clear()
          outcome = takeLine[part](text)
        }
        if (outcome !== undefined) return outcome
      }
      return undefined
    },
    end: () => framing?._tag === "Connection" ? complete() : broken("the answer ended early"),
    soFar: () => {
      const known = status ?? statusOf(textOf(line.first(Infinity)))
      return known === undefined || isInterim(known) ? undefined : answer(known)
    }
  }
}

const LF = 0x0a
const SWITCHING = 101

const isInterim = (status: number): boolean => status >= 100 && status <= 199 && status !== SWITCHING

/** A line without its end, one character for each byte. */
const textOf = (line: Uint8Array): string => Buffer.from(line).toString("latin1").replace(/\r?\n$/u, "")

const broken = (detail: string): Result.Result<never, AnswerFault> => Result.fail({ reason: "unreachable", detail })

const notHttp = broken("it is no HTTP answer")

const tooLarge = (maxBytes: number): Result.Result<never, AnswerFault> =>
  Result.fail({ reason: "too-large", detail: `the body is longer than ${maxBytes} bytes` })
