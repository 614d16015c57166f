import { Effect } from "effect"
import net from "node:net"

export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Takes the whole answers off the front of what a server sent; every one of ours says how long it is. */
const answersIn = (text: string): ReadonlyArray<RawAnswer> => {
  const answers: Array<RawAnswer> = []
  for (let rest = text;;) {
    const end = rest.indexOf("\r\n\r\n")
    if (end === -1) return answers
    const [first = "", ...lines] = rest.slice(0, end).split("\r\n")
    const headers = Object.fromEntries(lines.map((line) => {
      const [name = "", ...value] = line.split(":")
      return [name.toLowerCase(), value.join(":").trim()]
    }))
    const length = Number(headers["content-length"] ?? 0)
    const body = rest.slice(end + 4, end + 4 + length)
    if (body.length < length) return answers
    answers.push({ status: Number(first.split(" ")[1]), headers, body })
    rest = rest.slice(end + 4 + length)
  }
}

/**
 * Writes bytes to a server on one connection and gives its answers once there are as many as expected, or it closed.
 * The texts are ASCII, so that characters are bytes.
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
    // A server may well close while we still write: what it said before is what counts.
    socket.on("error", () => {})
    socket.on("close", () => finish(true))
    for (const part of [text].flat()) socket.write(part, "latin1")
    return Effect.sync(() => socket.destroy())
  })

export const GET_HEALTH = "GET /v2/health HTTP/1.1\r\nHost: a\r\n\r\n"

/** Everything of a POST of JSON that stands in front of its body. */
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

/** The code of a refusal; empty where there is none. */
export const codeOf = ({ body }: RawAnswer): string => /"error":\{"code":"(\w+)"/u.exec(body)?.[1] ?? ""
