import { Effect } from "effect"
import { rawExchange } from "./raw-http.ts"

/** How an HTTP library writes requests: its default headers, and its format of forms. */
export interface Library {
  readonly name: string
  readonly headers: ReadonlyArray<string>
  /** Boundary between the parts of a form. */
  readonly boundary: string
  /** Bytes per chunk, if the library sends a form as a stream of unknown length. */
  readonly chunk?: number
  /** Text after the last boundary. */
  readonly end: "" | "\r\n"
}

/** axios with the package form-data, fed from a stream: the usual way in LINE and Discord bots. */
export const axios: Library = {
  name: "axios and form-data",
  headers: [
    "Accept: application/json, text/plain, */*",
    "User-Agent: axios/1.7.9",
    "Accept-Encoding: gzip, compress, deflate, br",
    "Connection: keep-alive"
  ],
  boundary: "--------------------------014853762915408267390124",
  chunk: 1_000,
  end: "\r\n"
}

export const nodeFetch: Library = {
  name: "fetch of Node",
  headers: [
    "connection: keep-alive",
    "accept: */*",
    "accept-language: *",
    "sec-fetch-mode: cors",
    "user-agent: node",
    "accept-encoding: gzip, deflate"
  ],
  boundary: "----formdata-undici-035214719236",
  end: ""
}

export const pythonRequests: Library = {
  name: "requests of Python",
  headers: [
    "User-Agent: python-requests/2.32.3",
    "Accept-Encoding: gzip, deflate",
    "Accept: */*",
    "Connection: keep-alive"
  ],
  boundary: "f2c6a8d0b4e14c7f9a3d5e6b7c8d9e0f",
  end: "\r\n"
}

/** Sends `Expect: 100-continue` and waits for the answer before it sends a body. */
export const phpCurl: Library = {
  name: "curl of PHP",
  headers: ["Accept: */*", "Expect: 100-continue"],
  boundary: "------------------------d74496d66958873e",
  end: "\r\n"
}

export const go: Library = {
  name: "net/http of Go",
  headers: ["User-Agent: Go-http-client/1.1", "Accept-Encoding: gzip"],
  boundary: "6d1f7c9e8b0a4d2f5e3c1b7a9f8e6d4c2b0a1f3e5d7c9b8a6f4e2d0c1b3a",
  end: "\r\n"
}

/** A field of a form. Bytes are a file, which clients name slip.jpg for any type. */
type Part = readonly [name: string, value: string | Buffer]

const headOf = ([name, value]: Part): string => {
  const disposition = `Content-Disposition: form-data; name="${name}"`
  return typeof value === "string" ? disposition : `${disposition}; filename="slip.jpg"\r\nContent-Type: image/jpeg`
}

const formOf = ({ boundary, end }: Library, parts: ReadonlyArray<Part>): Buffer =>
  Buffer.concat([
    ...parts.flatMap((part) => [
      Buffer.from(`--${boundary}\r\n${headOf(part)}\r\n\r\n`),
      Buffer.from(part[1]),
      Buffer.from("\r\n")
    ]),
    Buffer.from(`--${boundary}--${end}`)
  ])

const chunked = (body: Buffer, size: number): Buffer => {
  const chunks = Array.from(
    { length: Math.ceil(body.length / size) },
    (_, index) => body.subarray(index * size, (index + 1) * size)
  )
  const framed = chunks.flatMap((
    chunk
  ) => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")])
  return Buffer.concat([...framed, Buffer.from("0\r\n\r\n")])
}

/** An answer as a client parses it. */
export interface Read<Json> {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly json: Json
}

const send = Effect.fnUntraced(function* <Json>(
  baseUrl: string,
  request: string,
  { headers }: Library,
  more: ReadonlyArray<string>,
  body: Buffer = Buffer.alloc(0)
) {
  const expectsContinue = headers.includes("Expect: 100-continue") && body.length > 0
  const sent = headers.filter((header) => expectsContinue || !header.startsWith("Expect"))
  const head = [`${request} HTTP/1.1`, `Host: ${new URL(baseUrl).host}`, ...sent, ...more, "", ""].join("\r\n")
  const { answers } = yield* rawExchange(baseUrl, [head, body.toString("latin1")], expectsContinue ? 2 : 1)
  const answer = answers.at(-1)
  if (answer === undefined) return yield* Effect.die(new Error(`${request} was not answered`))
  const read: Read<Json> = { ...answer, json: JSON.parse(Buffer.from(answer.body, "latin1").toString("utf8")) }
  return read
})

/** A client of the service with one key. */
export const clientOf = (baseUrl: string, key: string) => {
  const authorization = `Authorization: Bearer ${key}`
  return {
    /** Many clients send a JSON content type with GET too. */
    get: <Json>(library: Library, path: string) =>
      send<Json>(baseUrl, `GET ${path}`, library, [authorization, "Content-Type: application/json"]),
    json: <Json>(library: Library, path: string, value: object, method = "POST") => {
      const body = Buffer.from(JSON.stringify(value))
      const type = ["Content-Type: application/json", `Content-Length: ${body.length}`]
      return send<Json>(baseUrl, `${method} ${path}`, library, [authorization, ...type], body)
    },
    form: <Json>(library: Library, path: string, parts: ReadonlyArray<Part>, more: ReadonlyArray<string> = []) => {
      const form = formOf(library, parts)
      const body = library.chunk === undefined ? form : chunked(form, library.chunk)
      const length = library.chunk === undefined ? `Content-Length: ${form.length}` : "Transfer-Encoding: chunked"
      const type = `Content-Type: multipart/form-data; boundary=${library.boundary}`
      return send<Json>(baseUrl, `POST ${path}`, library, [authorization, type, length, ...more], body)
    }
  }
}
