import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { makeAnswerReader, MAX_HEAD_BYTES } from "../../../../infrastructure/adapters/egress/answer-reader.ts"
import { text } from "./loopback.ts"

interface Limits {
  readonly maxBytes?: number
  readonly overflow?: "fail" | "truncate"
}

const bytesOf = (written: string): Uint8Array => Buffer.from(written, "latin1")

/** Reads what a server writes in these pieces before it closes the connection. */
const readPieces = (pieces: ReadonlyArray<Uint8Array>, { maxBytes = 1_000, overflow = "fail" }: Limits = {}) => {
  const reader = makeAnswerReader({ maxBytes, overflow, wantsBody: () => true })
  for (const piece of pieces) {
    const outcome = reader.read(piece)
    if (outcome !== undefined) return { outcome, reader }
  }
  return { outcome: reader.end(), reader }
}

const read = (written: string, limits?: Limits) => readPieces([bytesOf(written)], limits)

/** `status body` of a whole answer, or why it is none. */
const readText = (written: string, limits?: Limits): string => {
  const { outcome } = read(written, limits)
  return Result.isSuccess(outcome) ? `${outcome.success.status} ${text(outcome.success.body)}` : outcome.failure.detail
}

const soFar = (written: string) => read(written, { overflow: "truncate" }).reader.soFar()

describe("the status line of an answer", () => {
  it.each([
    ["without a reason", "HTTP/1.1 200\r\n\r\n"],
    ["with a space and no reason", "HTTP/1.1 200 \r\n\r\n"],
    ["with several spaces", "HTTP/1.1   200   OK\r\n\r\n"],
    ["with tabs", "HTTP/1.1\t200\tOK\r\n\r\n"],
    ["after a space", " HTTP/1.1 200 OK\r\n\r\n"],
    ["after empty lines", "\r\n\n\r\nHTTP/1.1 200 OK\r\n\r\n"],
    ["with LF only", "HTTP/1.1 200 OK\n\n"],
    ["in lower case", "http/1.1 200 ok\r\n\r\n"],
    ["of HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\n"],
    ["of another version", "HTTP/2 200\r\n\r\n"],
    ["with a reason in Thai", "HTTP/1.1 200 \xe0\xb8\x95\xe0\xb8\x81\xe0\xb8\xa5\xe0\xb8\x87\r\n\r\n"],
    ["with NUL in its reason", "HTTP/1.1 200 O\0K\r\n\r\n"],
    [
      "after interim answers",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"
    ],
    ["after an interim answer without its empty line", "HTTP/1.1 100 Continue\r\nHTTP/1.1 200 OK\r\n\r\n"]
  ])("is read %s", (_, written) => {
    assert.strictEqual(readText(written), "200 ")
  })

  it.each([
    ["nothing", ""],
    ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["a page without a head", "<html>HTTP/1.1 200 OK</html>\r\n"],
    ["text before it", "ok HTTP/1.1 200 OK\r\n\r\n"],
    ["no number", "HTTP/1.1 abc OK\r\n\r\n"],
    ["two digits", "HTTP/1.1 20 OK\r\n\r\n"],
    ["four digits", "HTTP/1.1 2000 OK\r\n\r\n"],
    ["half of it", "HTTP/1.1 20"],
    ["no version", "HTTP 200 OK\r\n\r\n"],
    ["only interim answers", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\n"]
  ])("is not read from %s", (_, written) => {
    assert.isUndefined(soFar(written))
    assert.isTrue(Result.isFailure(read(written).outcome))
  })

  it.each([
    ["it alone", "HTTP/1.1 200 OK\r\n"],
    ["it without its end", "HTTP/1.1 200"],
    ["lines that end with CR only", "HTTP/1.1 200 OK\rContent-Length: 2\r\rok"],
    ["half a head", "HTTP/1.1 200 OK\r\nContent-Len"],
    ["a reason without end", `HTTP/1.1 200 ${"O".repeat(2 * MAX_HEAD_BYTES)}`],
    ["too many headers", `HTTP/1.1 200 OK\r\n${"Set-Cookie: a=1\r\n".repeat(20_000)}\r\n`],
    ["less than its length", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"],
    ["a broken chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"]
  ])("is known after %s", (_, written) => {
    assert.strictEqual(soFar(written)?.status, 200)
    assert.isTrue(Result.isFailure(read(written).outcome))
  })
})

describe("the headers of an answer", () => {
  const headersOf = (lines: string) => soFar(`HTTP/1.1 503 Busy\r\n${lines}\r\n`)?.headers

  it.each([
    ["X-A : b", { "x-a": "b" }],
    ["X-A:b  ", { "x-a": "b" }],
    ["X-A: b\r\n  c\r\n\td", { "x-a": "b c d" }],
    [" folded at first\r\nX-A: b", { "x-a": "b" }],
    ["no colon\r\nX-A: b", { "x-a": "b" }],
    [": no name\r\nX-A: b", { "x-a": "b" }],
    ["X A: c\r\nX-A: b", { "x-a": "b" }],
    ["X-N\0: c\r\nX-N: a\0b\r\n folded\r\nX-A: b", { "x-a": "b" }],
    ["X-A: \xe9", { "x-a": "\xe9" }],
    ["X-A: a\r\nx-a: b", { "x-a": "a, b" }],
    ["Location: /a\r\nLocation: /b\r\nRetry-After: 1\r\nRetry-After: 2", { "location": "/a", "retry-after": "1" }],
    ["__proto__: a", { ["__proto__"]: "a" }]
  ])("are read leniently: %j", (lines, expected) => {
    assert.deepStrictEqual(headersOf(lines), expected)
  })

  it("are read up to 128 KiB", () => {
    const cookies = (bytes: number) => `HTTP/1.1 200 OK\r\nSet-Cookie: ${"a".repeat(bytes)}\r\n\r\nok`
    assert.strictEqual(readText(cookies(MAX_HEAD_BYTES - 100)), "200 ok")
    assert.strictEqual(readText(cookies(MAX_HEAD_BYTES)), "its headers are too long")
  })
})

describe("the body of an answer", () => {
  const after = (lines: string, body: string, limits?: Limits) =>
    readText(`HTTP/1.1 200 OK\r\n${lines}\r\n${body}`, limits)
  const chunked = "Transfer-Encoding: chunked\r\n"

  it.each([
    ["its length", "Content-Length: 2\r\n", "okay", "200 ok"],
    ["the same length twice", "Content-Length: 2\r\nContent-Length: 2\r\n", "okay", "200 ok"],
    ["the same length in a list", "Content-Length: 2, 2\r\n", "okay", "200 ok"],
    ["the connection with two lengths", "Content-Length: 2\r\nContent-Length: 3\r\n", "okay", "200 okay"],
    ["the connection with a length that is no number", "Content-Length: -2\r\n", "okay", "200 okay"],
    ["the connection with an empty length", "Content-Length:\r\n", "okay", "200 okay"],
    ["the connection without a length", "", "okay", "200 okay"],
    ["the connection with another coding", "Transfer-Encoding: identity\r\n", "okay", "200 okay"],
    ["the last chunk", chunked, "2\r\nok\r\n0\r\n\r\n", "200 ok"],
    ["the last chunk without the empty line", chunked, "2\r\nok\r\n0\r\n", "200 ok"],
    ["the last chunk before trailers", chunked, "2\r\nok\r\n0\r\nX-A: b\r\n", "200 ok"],
    ["chunks with LF only", "Transfer-Encoding: chunked\n", "2\nok\n0\n\n", "200 ok"],
    ["chunks with extensions, spaces and zeros", chunked, "002 ;a=b\r\nok\r\n1 \r\n!\r\n0;a\r\n", "200 ok!"],
    ["chunks beside a length", `Content-Length: 1\r\n${chunked}`, "2\r\nok\r\n0\r\n\r\n", "200 ok"],
    ["chunks in any case", "transfer-encoding: gzip, Chunked\r\n", "2\r\nok\r\n0\r\n\r\n", "200 ok"]
  ])("ends with %s", (_, lines, body, expected) => {
    assert.strictEqual(after(lines, body), expected)
  })

  it.each([
    ["its length is not reached", "Content-Length: 10\r\n", "abc"],
    ["a chunk is cut", chunked, "10\r\nabc"],
    ["the last chunk is missing", chunked, "2\r\nok\r\n"],
    ["the size of a chunk is no number", chunked, "zz\r\nok\r\n0\r\n"],
    ["the size of a chunk is negative", chunked, "-2\r\nok\r\n0\r\n"],
    ["the size of a chunk is empty", chunked, "\r\nok\r\n0\r\n"],
    ["the size of a chunk has no end", chunked, "1".repeat(2 * MAX_HEAD_BYTES)],
    ["a chunk is longer than its size", chunked, "1\r\nok\r\n0\r\n"],
    ["a chunk is endless", chunked, `${"f".repeat(400)}\r\nok`]
  ])("is broken when %s, and its beginning is known", (_, lines, body) => {
    const answer = `HTTP/1.1 200 OK\r\n${lines}\r\n${body}`
    const { outcome } = read(answer)
    assert.isTrue(Result.isFailure(outcome) && outcome.failure.reason === "unreachable")
    assert.strictEqual(soFar(answer)?.status, 200)
  })

  it("is empty after 204 and 304, whatever follows", () => {
    for (const status of [204, 304]) {
      assert.strictEqual(readText(`HTTP/1.1 ${status} X\r\nContent-Length: 4\r\n\r\nokay`), `${status} `)
    }
  })

  it("is refused as soon as a declared length is too large", () => {
    for (const length of ["1001", "9".repeat(30), "9".repeat(400)]) {
      assert.strictEqual(after(`Content-Length: ${length}\r\n`, ""), "the body is longer than 1000 bytes")
    }
  })

  it("ends at the limit of bytes when it may be cut", () => {
    for (const [lines, body] of [["", "abcdef"], [chunked, "6\r\nabcdef\r\n"], ["Content-Length: 9\r\n", "abcdef"]]) {
      assert.strictEqual(after(lines ?? "", body ?? "", { maxBytes: 3, overflow: "truncate" }), "200 abc")
      assert.strictEqual(after(lines ?? "", body ?? "", { maxBytes: 0, overflow: "truncate" }), "200 ")
    }
  })
})

describe("an answer", () => {
  const answers = [
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nX-A: a\r\n b\r\nContent-Length: 5\r\n\r\nhelloworld",
    "HTTP/1.1 502 Bad\nTransfer-Encoding: chunked\n\n3;x\nabc\n10\n0123456789abcdef\n0\n\n",
    "HTTP/1.0 404\r\n\r\nuntil the connection ends",
    "HTTP/1.1 2000 OK\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n"
  ]

  it.prop("is the same however its bytes arrive", [
    Schema.Literals(answers),
    Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })))
  ], ([written, sizes]) => {
    const bytes = bytesOf(written)
    const pieces: Array<Uint8Array> = []
    for (let at = 0, n = 0; at < bytes.byteLength; n++) {
      const size = sizes[n] ?? bytes.byteLength
      pieces.push(bytes.subarray(at, at + size))
      at += size
    }
    assert.deepStrictEqual(readPieces(pieces).outcome, readPieces([bytes]).outcome)
  })

  it.prop("of arbitrary bytes never throws", [Schema.Array(Schema.String)], ([texts]) => {
    for (const start of ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"]) {
      const { outcome } = readPieces([bytesOf(start), ...texts.map((piece) => new TextEncoder().encode(piece))])
      assert.isTrue(Result.isResult(outcome))
    }
  })
})
