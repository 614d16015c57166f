import http from "node:http"
import https from "node:https"
import { type SecureContext, TLSSocket } from "node:tls"
import { Effect, Result } from "effect"
import { EgressError } from "../../ports/egress.ts"
import { parseAddress } from "../ip-address.ts"
import { canonical } from "./addresses.ts"
import { collect } from "./body.ts"
import { hostOf } from "./target.ts"
import type { TlsSessions } from "./tls-sessions.ts"

/** One request to an address that has been judged. */
export interface Exchange {
  readonly url: URL
  /** Connected to as it is: no name is resolved on the way. */
  readonly address: string
  readonly method: "GET" | "POST"
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  readonly maxBytes: number
  readonly overflow: "fail" | "truncate"
  /** False where the head says enough, as with a redirect: the body then stays unread and comes out empty. */
  readonly wantsBody: (head: Head) => boolean
  /** Whom to trust, where it is not just whom the runtime trusts. */
  readonly trust: SecureContext | undefined
  readonly sessions: TlsSessions
}

export interface Head {
  readonly status: number
  /** Names in lower case, repeated ones joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
}

export interface Answer extends Head {
  readonly body: Uint8Array
}

/** Of all headers of an answer together. */
const maxHeaderBytes = 16 * 1024

/**
 * Connects to the address, speaks to it under the URL's name, and reads the answer up to its limit.
 *
 * One connection, used once. It is destroyed as soon as the answer is settled or the effect is interrupted, which is
 * how the caller's deadline ends a peer that is merely slow. Fails with `unreachable` or `too-large`.
 */
export const exchange = (options: Exchange): Effect.Effect<Answer, EgressError> =>
  Effect.callback((resume) => {
    const opened = Result.try({ try: () => open(options), catch: unreachable(options.url) })
    if (Result.isFailure(opened)) return resume(Effect.fail(opened.failure))
    const request = opened.success
    const settle = (outcome: Result.Result<Answer, EgressError>) => {
      resume(Effect.fromResult(outcome))
      request.destroy()
    }
    const giveUp = (cause: unknown) => settle(Result.fail(unreachable(options.url)(cause)))
    let pinned = false

    // These listeners stay for good: what a peer does after the answer is settled must find one, and changes nothing.
    request.on("error", giveUp)
    request.on("upgrade", (_, socket) => {
      socket.on("error", () => {}).destroy()
      giveUp(new Error("switched to another protocol"))
    })
    request.on("socket", (socket) => {
      if (socket instanceof TLSSocket) options.sessions.watch(serverOf(options), socket)
      const judge = () => {
        pinned = canonical(socket.remoteAddress ?? "") === canonical(options.address)
        // Still before the first byte of the request is written.
        if (!pinned) giveUp(new Error("connected to another address than the one that was judged"))
      }
      if (socket.connecting) socket.once("connect", judge)
      else judge()
    })
    request.on("response", (response) => {
      response.on("error", giveUp)
      if (!pinned) return giveUp(new Error("answered by another address than the one that was judged"))
      const head = headOf(response)
      if (!options.wantsBody(head)) return settle(Result.succeed({ ...head, body: new Uint8Array() }))
      collect(response, options, (body) => settle(Result.map(body, (bytes) => ({ ...head, body: bytes }))), giveUp)
    })
    request.end(options.body)
    return Effect.sync(() => request.destroy())
  })

/** What a session of TLS may be taken up again with: the same name at the same judged address. */
const serverOf = ({ address, url }: Exchange): string => `${url.host}@${address}`

const open = (exchange: Exchange): http.ClientRequest => {
  const { address, body, headers, method, sessions, trust, url } = exchange
  const secure = url.protocol === "https:"
  const length = body === undefined ? {} : { "content-length": String(body.byteLength) }
  const options: https.RequestOptions = {
    host: address,
    port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
    path: url.pathname + url.search,
    method,
    // Compressed bodies are not asked for: a few bytes of them could become any number.
    headers: { ...headers, ...length, host: url.host, "accept-encoding": "identity" },
    agent: false,
    maxHeaderSize: maxHeaderBytes,
    insecureHTTPParser: false
  }
  if (!secure) return http.request(options)
  // Without a server name the certificate has to speak for the address itself.
  const host = hostOf(url)
  const servername = parseAddress(host) === undefined ? host : ""
  const session = sessions.of(serverOf(exchange))
  return https.request({
    ...options,
    servername,
    ...(trust === undefined ? {} : { secureContext: trust }),
    ...(session === undefined ? {} : { session })
  })
}

const headOf = ({ statusCode = 0, headers }: http.IncomingMessage): Head => ({
  status: statusCode,
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value = ""]) => [name, typeof value === "string" ? value : value.join(", ")])
  )
})

/** Node's advice to whoever runs it, behind what it found wrong with a certificate: nothing for those who read this. */
const hintOfRuntime = /; if the root CA is installed locally.*$/su

const unreachable = (url: URL) => (cause: unknown): EgressError => {
  const found = (cause instanceof Error ? cause.message : String(cause)).replace(hintOfRuntime, "")
  // A runtime is free to quote the URL it was given.
  const detail = url.search === "" ? found : found.replaceAll(url.search, "")
  return new EgressError({ reason: "unreachable", detail: `${hostOf(url)}: ${detail}`, cause })
}
