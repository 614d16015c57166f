import { randomBytes, randomUUID } from "node:crypto"
import http from "node:http"
import { connect } from "node:net"
import { satang } from "../../domain/money.ts"
import { makeSandboxSlip, nonceOf } from "../../infrastructure/adapters/banks/sandbox/sandbox-slip.ts"
import { payloadOf } from "../http/rendered.ts"
import type { Surroundings } from "./messages.ts"

/** Repeats an attack until the signal aborts. `count` receives the status of each answer, and 0 without one. */
export type Attack = (
  surroundings: Surroundings,
  signal: AbortSignal,
  count: (status: number) => void
) => Promise<void>

interface Post {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Buffer
  /** Bytes to announce. More than the body has is a stalled upload. */
  readonly announced?: number
  readonly token?: string
}

/** Sends a request and waits for its answer, or for the end of the attack. */
const post = (
  { apiKey, port }: Surroundings,
  signal: AbortSignal,
  { announced, body, headers, path = "/v2/verify/bank", token = apiKey }: Post
): Promise<number> =>
  new Promise((resolve) => {
    const call = http.request({
      port,
      signal,
      localAddress: ADDRESS,
      host: "127.0.0.1",
      method: "POST",
      path,
      headers: {
        "authorization": `Bearer ${token}`,
        "content-type": "application/json",
        "content-length": announced ?? Buffer.byteLength(body),
        ...headers
      }
    }, (response) => {
      response.resume().on("close", () => resolve(response.statusCode ?? 0))
    })
    call.on("error", () => resolve(0))
    if (announced === undefined) call.end(body)
    else call.write(body)
  })

/** Runs a task in several lanes, each again and again. A failing task pauses its lane, so it is no busy loop. */
const repeat = async (
  lanes: number,
  signal: AbortSignal,
  task: () => Promise<number>,
  count: (status: number) => void
) => {
  const lane = async () => {
    while (!signal.aborted) {
      const status = await task()
      if (signal.aborted) return
      count(status)
      if (status === 0 || status === 429 || status === 503) await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

const repeatedPost =
  (lanes: number, render: (surroundings: Surroundings) => () => Post): Attack => (surroundings, signal, count) => {
    const next = render(surroundings)
    return repeat(lanes, signal, () => post(surroundings, signal, next()), count)
  }

const MIB = 1024 * 1024
const items = (item: string, bytes: number): string =>
  Array.from({ length: Math.floor(bytes / (item.length + 1)) }, () => item).join(",")
const keys = (count: number): string => Array.from({ length: count }, (_, index) => `"k${index}":null`).join(",")

const multipart = (parts: number): Post => {
  const boundary = "parts"
  const part = (index: number) => `--${boundary}\r\nContent-Disposition: form-data; name="f${index}"\r\n\r\nx\r\n`
  return {
    body: `${Array.from({ length: parts }, (_, index) => part(index)).join("")}--${boundary}--\r\n`,
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` }
  }
}

/** The attacker's address. The second tenant has another one, because the service limits connections by address. */
const ADDRESS = "127.0.0.2"

/** Connections in equal parts from each address. */
const sockets = (count: number, text: string, addresses = [ADDRESS]): Attack => ({ port }, signal, report) =>
  new Promise((resolve) => {
    const open = Array.from({ length: count }, (_, index) => {
      const localAddress = addresses[index % addresses.length]
      const socket = connect({ port, host: "127.0.0.1", localAddress }, () => socket.write(text))
      // It never reads, so an answer stays in the buffers.
      socket.pause()
      socket.on("error", () => {}).on("close", () => report(0))
      return socket
    })
    signal.addEventListener("abort", () => {
      for (const socket of open) socket.removeAllListeners("close").destroy()
      resolve()
    })
  })

let slips = 0

/** A slip of the sandbox bank that the bank does not know. */
const unknownSlip = (): string =>
  makeSandboxSlip({
    amount: satang(100_00),
    bank: "004",
    receiver: 0,
    outcome: "not-found",
    at: Date.now(),
    nonce: nonceOf(slips++)
  }).payload

/** Attacks of one API key, or of a stranger without a key. The name says what they exhaust. */
export const attacks: Readonly<Record<string, Attack>> = {
  "batch of empty slips, 63 MiB": repeatedPost(2, () => {
    const body = `{"slips":[${items("{}", 63 * MIB)}]}`
    return () => ({ body, path: "/v2/verify/bank/batch" })
  }),
  "object with a million keys": repeatedPost(4, () => {
    const body = `{${keys(400_000)}}`
    return () => ({ body })
  }),
  "400 000 keys under an Idempotency-Key": repeatedPost(4, () => {
    const body = `{${keys(400_000)}}`
    return () => ({ body, headers: { "idempotency-key": randomUUID() } })
  }),
  "JSON of depth 100 000": repeatedPost(4, () => {
    const body = `{"payload":${"[".repeat(100_000)}${"]".repeat(100_000)}}`
    return () => ({ body, headers: { "idempotency-key": randomUUID() } })
  }),
  "form with 100 000 parts": repeatedPost(4, () => {
    const form = multipart(100_000)
    return () => form
  }),
  "16 stalled uploads of 62 MiB": repeatedPost(16, () => {
    const body = Buffer.alloc(MIB, "{")
    return () => ({ body, announced: 62 * MIB, path: "/v2/verify/bank/batch" })
  }),
  "1 000 connections that send no HTTP": sockets(1_000, "this is no HTTP\r\n\r\n"),
  "1 000 idle connections": sockets(1_000, ""),
  "10 000 idle connections of 20 addresses": sockets(
    10_000,
    "",
    Array.from({ length: 20 }, (_, index) => `127.0.0.${10 + index}`)
  ),
  "large pictures": repeatedPost(32, ({ pictures }) => {
    const bodies = pictures.map((image) => JSON.stringify({ image }))
    let next = 0
    return () => ({ body: bodies[next++ % bodies.length] ?? "" })
  }),
  "large pictures for /v2/decode": repeatedPost(32, ({ pictures }) => {
    const bodies = pictures.map((image) => JSON.stringify({ image }))
    let next = 0
    return () => ({ body: bodies[next++ % bodies.length] ?? "", path: "/v2/decode" })
  }),
  "picture URLs with names that never resolve": repeatedPost(64, () => () => ({
    body: JSON.stringify({ url: `https://${randomBytes(6).toString("hex")}.example.com/slip.png` })
  })),
  "picture URLs that never answer": repeatedPost(64, ({ tarPit }) => () => ({
    body: JSON.stringify({ url: `http://tarpit.test:${tarPit}/slip.png` })
  })),
  "jobs with picture URLs that never answer": repeatedPost(8, ({ tarPit }) => () => ({
    body: JSON.stringify({ url: `http://tarpit.test:${tarPit}/slip.png` }),
    path: "/v2/verify/bank/async"
  })),
  "wrong admin tokens": repeatedPost(16, () => () => ({
    body: "{}",
    path: "/admin/v1/services",
    token: randomBytes(16).toString("hex")
  })),
  "wrong API keys": repeatedPost(16, () => () => ({ body: "{}", token: randomUUID() })),
  "one slip again and again": repeatedPost(16, () => {
    const body = JSON.stringify({ payload: payloadOf(999_999_999) })
    return () => ({ body })
  }),
  "slips that no bank knows": repeatedPost(16, () => () => ({
    body: JSON.stringify({ payload: unknownSlip() })
  }))
}
