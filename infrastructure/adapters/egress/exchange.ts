import net from "node:net"
import { connect as connectTls, type SecureContext, TLSSocket } from "node:tls"
import { Effect, Result } from "effect"
import { CappedMap } from "../../../domain/capped-map.ts"
import { EgressError } from "../../../ports/egress.ts"
import { parseAddress } from "../../platform/ip-address.ts"
import { canonical } from "./addresses.ts"
import type { Answer, AnswerReader } from "./answer-reader.ts"
import { type HopRequest, hostOf } from "./target.ts"

/** One request to an allowed address. */
export interface Exchange extends HopRequest {
  /** The address to connect to. No name is resolved. */
  readonly address: string
  readonly reader: AnswerReader
  /** Replaces the certificate authorities of the runtime. */
  readonly trust: SecureContext | undefined
  readonly sessions: TlsSessions
}

/**
 * Connects to the address, sends the request with the URL's host name, and passes the answer to the reader.
 *
 * Each request has its own connection. It is destroyed when the answer is complete or the effect is interrupted: the
 * caller's time limit also ends a slow peer. Fails with `unreachable` or `too-large`.
 */
export const exchange = (options: Exchange): Effect.Effect<Answer, EgressError> =>
  Effect.callback((resume) => {
    const { address, reader, url } = options
    const opened = Result.try({
      try: () => ({ request: requestBytes(options), socket: open(options) }),
      catch: unreachable(url)
    })
    if (Result.isFailure(opened)) return resume(Effect.fail(opened.failure))
    const { request, socket } = opened.success
    const settle = (outcome: Result.Result<Answer, EgressError>) => {
      resume(Effect.fromResult(outcome))
      socket.destroy()
    }
    const fail = (cause: unknown) => settle(Result.fail(unreachable(url)(cause)))
    const finish = (outcome: ReturnType<AnswerReader["end"]>) =>
      settle(Result.mapError(outcome, ({ detail, reason }) =>
        reason === "unreachable" ? unreachable(url)(detail) : new EgressError({ reason, detail })))

    // The listeners stay: a late error without a listener would end the process.
    socket.on("error", fail)
    socket.on("close", () =>
      fail(new Error("the connection was closed")))
    socket.on(socket instanceof TLSSocket ? "secureConnect" : "connect", () => {
      if (canonical(socket.remoteAddress ?? "") !== canonical(address)) {
        return fail(new Error("connected to another address than the checked one"))
      }
      socket.setNoDelay(true)
      // Before the request is written: the answer may come before its last byte.
      socket.on("data", (bytes) => {
        const outcome = reader.read(bytes)
        if (outcome !== undefined) finish(outcome)
      })
      socket.on("end", () => finish(reader.end()))
      socket.write(request)
    })
    return Effect.sync(() => socket.destroy())
  })

/** A TLS session is resumed only for the same name at the same address. */
const serverOf = ({ address, url }: Exchange): string => `${url.host}@${address}`

const open = (exchange: Exchange): net.Socket => {
  const { address, sessions, trust, url } = exchange
  const isSecure = url.protocol === "https:"
  const endpoint = { host: address, port: url.port === "" ? (isSecure ? 443 : 80) : Number(url.port) }
  if (!isSecure) return net.connect(endpoint)
  // Without a server name the certificate must be valid for the address.
  const host = hostOf(url)
  const session = sessions.find(serverOf(exchange))
  const socket = connectTls({
    ...endpoint,
    servername: parseAddress(host) === undefined ? host : "",
    ALPNProtocols: ["http/1.1"],
    ...(trust === undefined ? {} : { secureContext: trust }),
    ...(session === undefined ? {} : { session })
  })
  sessions.watch(serverOf(exchange), socket)
  return socket
}

/** Throws for a header that would end its line. */
const requestBytes = ({ body, headers, method, url }: HopRequest): Uint8Array => {
  const lines = Object.entries({
    host: url.host,
    ...headers,
    // A compressed body of a few bytes can expand to any size.
    "accept-encoding": "identity",
    ...(body === undefined ? {} : { "content-length": String(body.byteLength) }),
    connection: "close"
  }).map(([name, value]) => {
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/u.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/u.test(value)) {
      throw new Error(`the header ${JSON.stringify(name)} cannot be sent`)
    }
    return `${name}: ${value}\r\n`
  })
  const head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join("")}\r\n`
  return Buffer.concat([Buffer.from(head, "latin1"), ...(body === undefined ? [] : [body])])
}

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
