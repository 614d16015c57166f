import { Effect } from "effect"
import net from "node:net"

export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Parses the complete answers at the start of what a server sent. Every answer must have a content length. */
const answersIn = (text: string): ReadonlyArray<RawAnswer> => {
  const answers: Array<RawAnswer> = []
  for (let remaining = text;;) {
    const end = remaining.indexOf("\r\n\r\n")
    if (end === -1) return answers
    const [first = "", ...lines] = remaining.slice(0, end).split("\r\n")
    const headers = Object.fromEntries(lines.map((line) => {
      const [name = "", ...value] = line.split(":")
      return [name.toLowerCase(), value.join(":").trim()]
    }))
    const length = Number(headers["content-length"] ?? 0)
    const body = remaining.slice(end + 4, end + 4 + length)
    if (body.length < length) return answers
    answers.push({ status: Number(first.split(" ")[1]), headers, body })
    remaining = remaining.slice(end + 4 + length)
  }
}

/**
 * Writes bytes to a server on one connection. Returns its answers when the expected number has arrived or the
 * connection is closed. The texts must be Latin-1, so that a character is a byte.
 */
export const rawExchange = (baseUrl: string, text: string | ReadonlyArray<string>, expected = 1) =>
  Effect.callback<{ readonly answers: ReadonlyArray<RawAnswer>; readonly closed: boolean }>((resume) => {
    const { hostname, port } = new URL(baseUrl)
    const socket = net.connect(Number(port), hostname)
    let received = ""
    const finish = (closed: boolean) => {
      resume(Effect.succeed({ answers: answersIn(received), closed }))
      socket.destroy()
    }
    socket.setEncoding("latin1")
    socket.on("data", (chunk: string) => {
      received += chunk
      if (answersIn(received).length >= expected) finish(false)
    })
    // A server may close the connection while the test still writes. The answers before that count.
    socket.on("error", () => {})
    socket.on("close", () => finish(true))
    for (const part of [text].flat()) socket.write(part, "latin1")
    return Effect.sync(() => socket.destroy())
  })

export const GET_HEALTH = "GET /v2/health HTTP/1.1\r\nHost: a\r\n\r\n"

/** The request line and the headers of a POST with a JSON body. */
export const postHead = (path: string, key: string, ...headers: ReadonlyArray<string>): string =>
  [
    `POST ${path} HTTP/1.1`,
    "Host: a",
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    ...headers,
    "",
    ""
  ].join("\r\n")

/** The error code of an answer; empty without an error. */
export const codeOf = ({ body }: RawAnswer): string => /"error":\{"code":"(\w+)"/u.exec(body)?.[1] ?? ""
