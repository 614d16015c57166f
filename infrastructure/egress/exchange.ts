import http from "node:http"
import https from "node:https"
import { type SecureContext, TLSSocket } from "node:tls"
import { Effect, Result } from "effect"
import { CappedMap } from "../../domain/capped-map.ts"
import { EgressError } from "../../ports/egress.ts"
import { parseAddress } from "../ip-address.ts"
import { canonical } from "./addresses.ts"
import { readBody } from "../response-body.ts"
import { hostOf } from "./target.ts"

/** One request to an allowed address. */
export interface Exchange {
  readonly url: URL
  /** The address to connect to. No name is resolved. */
  readonly address: string
  readonly method: "GET" | "POST"
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  readonly maxBytes: number
  readonly overflow: "fail" | "truncate"
  /** Whether to read the body. A redirect is followed without its body, which stays empty. */
  readonly wantsBody: (head: Head) => boolean
  /** Replaces the certificate authorities of the runtime. */
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

/** Limit of all headers of a response together. */
const maxHeaderBytes = 16 * 1024

/**
 * Connects to the address, sends the request with the URL's host name, and reads the response up to its limit.
 *
 * Each request has its own connection. It is destroyed when the response is complete or the effect is interrupted: the
 * caller's time limit also ends a slow peer. Fails with `unreachable` or `too-large`.
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
    const fail = (cause: unknown) => settle(Result.fail(unreachable(options.url)(cause)))
    let isExpectedAddress = false

    // The listeners stay: a late error without a listener would end the process.
    request.on("error", fail)
    request.on("upgrade", (_, socket) => {
      socket.on("error", () => {}).destroy()
      fail(new Error("the server switched to another protocol"))
    })
    request.on("socket", (socket) => {
      if (socket instanceof TLSSocket) options.sessions.watch(serverOf(options), socket)
      const checkAddress = () => {
        isExpectedAddress = canonical(socket.remoteAddress ?? "") === canonical(options.address)
        // This happens before the first byte of the request is written.
        if (!isExpectedAddress) fail(new Error("connected to another address than the checked one"))
      }
      if (socket.connecting) socket.once("connect", checkAddress)
      else checkAddress()
    })
    request.on("response", (response) => {
      // Before the body is read: without a listener an error would end the process.
      response.on("error", fail)
      if (!isExpectedAddress) return fail(new Error("answered by another address than the checked one"))
      const head = headOf(response)
      if (!options.wantsBody(head)) return settle(Result.succeed({ ...head, body: new Uint8Array() }))
      readBody(response, options, (body) =>
        settle(
          body === undefined
            ? Result.fail(
              new EgressError({ reason: "too-large", detail: `the body is longer than ${options.maxBytes} bytes` })
            )
            : Result.succeed({ ...head, body })
        ), fail)
    })
    request.end(options.body)
    return Effect.sync(() => request.destroy())
  })

/** A TLS session is resumed only for the same name at the same address. */
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
    // A compressed body of a few bytes can expand to any size.
    headers: { ...headers, ...length, host: url.host, "accept-encoding": "identity" },
    agent: false,
    maxHeaderSize: maxHeaderBytes,
    insecureHTTPParser: false
  }
  if (!secure) return http.request(options)
  // Without a server name the certificate must be valid for the address.
  const host = hostOf(url)
  const servername = parseAddress(host) === undefined ? host : ""
  const session = sessions.find(serverOf(exchange))
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

/** Advice that Node appends to certificate errors. It does not help the readers of this message. */
const hintOfRuntime = /; if the root CA is installed locally.*$/su

const unreachable = (url: URL) => (cause: unknown): EgressError => {
  const found = (cause instanceof Error ? cause.message : String(cause)).replace(hintOfRuntime, "")
  // A runtime can quote the URL in its error.
  const detail = url.search === "" ? found : found.replaceAll(url.search, "")
  return new EgressError({ reason: "unreachable", detail: `${hostOf(url)}: ${detail}`, cause })
}

/**
 * TLS sessions by server. A resumed session costs a third less than a full handshake. The certificate and its name were
 * checked by the full handshake of the session.
 */
export interface TlsSessions {
  readonly find: (server: string) => Buffer | undefined
  /** Stores the sessions of a connection when its certificate is valid. */
  readonly watch: (server: string, socket: TLSSocket) => void
}

/** A full handshake checks the certificate again after this time. */
const SESSION_MILLIS = 5 * 60_000
const MAX_SERVERS = 1_000

export const makeTlsSessions = (now: () => number = () => performance.now()): TlsSessions => {
  const sessions = new CappedMap<string, { readonly session: Buffer; readonly until: number }>(MAX_SERVERS)
  /** The time of the last full handshake. All later sessions derive from it. */
  const checkedAt = new CappedMap<string, number>(MAX_SERVERS)

  const remove = (server: string) => {
    sessions.delete(server)
    checkedAt.delete(server)
  }

  const store = (server: string, session: Buffer) => {
    const checked = checkedAt.get(server)
    if (checked !== undefined) sessions.set(server, { session, until: checked + SESSION_MILLIS })
  }

  return {
    find: (server) => {
      const entry = sessions.get(server)
      if (entry === undefined) return undefined
      if (entry.until > now()) return entry.session
      remove(server)
      return undefined
    },
    watch: (server, socket) => {
      socket.once("secureConnect", () => {
        if (!socket.authorized) return remove(server)
        if (!socket.isSessionReused()) checkedAt.set(server, now())
      })
      socket.on("session", (session) => store(server, session))
    }
  }
}
