import { Effect, Redacted, type Scope } from "effect"
import http from "node:http"
import https from "node:https"
import type { LookupFunction } from "node:net"
import { readBody } from "../../../platform/response-body.ts"
import { gatewayFailed, type GatewayFailure } from "./gateway.ts"
import { sharedLookup } from "./shared-lookup.ts"

export interface UpstreamRequest {
  readonly method: "GET" | "POST"
  /** Appended to the base URL. Begins with a slash. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

export interface UpstreamResponse {
  readonly status: number
  /** The header `Retry-After`, unparsed. */
  readonly retryAfter: string | undefined
  /** The whole body. A byte order mark is kept: the text is evidence. */
  readonly text: string
}

export interface UpstreamClientOptions {
  /** The name of the bank in messages. */
  readonly title: string
  readonly baseUrl: string
  /** Certificate authorities in PEM that replace those of the runtime. */
  readonly authorities?: ReadonlyArray<string> | undefined
  /** The client certificate and its key in PEM. */
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined
  /**
   * Whether a request may be sent twice; true when absent. False where a vendor charges each question: a kept connection
   * can break after the request arrived. Each request then has its own connection.
   */
  readonly isRepeatable?: boolean
  /** Secrets that are replaced in response bodies: a body is stored as evidence, and a vendor may repeat its request. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted>
  /** Limit of a response body. */
  readonly maxBytes?: number
  /** Replaces the lookups that all banks share. */
  readonly lookup?: LookupFunction
}

/** Sends a request and reads the response, of any status. Fails when there is no response. */
export type UpstreamClient = (request: UpstreamRequest) => Effect.Effect<UpstreamResponse, GatewayFailure>

const MAX_BODY_BYTES = 256 * 1024
const MAX_HEADER_BYTES = 16 * 1024

/**
 * Sends requests to one bank over persistent connections. Does not follow redirects: the secrets are for this bank
 * only. An interruption closes the connection.
 *
 * A bank can close a persistent connection while the request is written. Such a request is sent again on a new
 * connection, unless the options forbid it.
 */
export const makeUpstreamClient = (
  options: UpstreamClientOptions
): Effect.Effect<UpstreamClient, never, Scope.Scope> => {
  const { authorities, baseUrl, certificate, isRepeatable = true, lookup = sharedLookup, secrets = [], title } = options
  const { maxBytes = MAX_BODY_BYTES } = options
  const mask = makeMask(secrets)
  const transport = baseUrl.startsWith("https:") ? https : http
  const tls = {
    ...(authorities === undefined ? {} : { ca: [...authorities] }),
    ...(certificate === undefined ? {} : { cert: certificate.cert, key: certificate.key })
  }
  return Effect.gen(function* () {
    // Without kept connections, the agent still resumes TLS sessions.
    const shared = yield* Effect.acquireRelease(
      Effect.sync(() => new transport.Agent({ keepAlive: isRepeatable, ...tls })),
      (agent) => Effect.sync(() => agent.destroy())
    )

    const send = (request: UpstreamRequest, agent: http.Agent | false) =>
      Effect.callback<UpstreamResponse, BrokenConnection | GatewayFailure>((resume) => {
        const { body, headers, method, path } = request
        const outgoing = transport.request(baseUrl + path, {
          method,
          agent,
          headers: {
            "user-agent": "SlipTrail",
            // A compressed body of a few bytes can expand to any size.
            "accept-encoding": "identity",
            ...headers,
            ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) })
          },
          maxHeaderSize: MAX_HEADER_BYTES,
          lookup,
          ...(agent === false ? tls : {})
        })
        let hasResponse = false
        const broken = (cause: unknown) =>
          resume(
            Effect.fail({ _tag: "BrokenConnection", cause, isStale: outgoing.reusedSocket && !hasResponse })
          )

        // The listeners stay: a late error without a listener would end the process.
        outgoing.on("error", broken)
        outgoing.on("close", () => hasResponse || broken(undefined))
        outgoing.on("upgrade", (_, socket) => {
          socket.on("error", () => {}).destroy()
          broken(undefined)
        })
        outgoing.on("response", (response) => {
          hasResponse = true
          readBody(response, maxBytes, (bytes) => {
            if (bytes === undefined) outgoing.destroy()
            resume(
              bytes === undefined
                ? Effect.fail(gatewayFailed(`${title} sent more than ${maxBytes} bytes`))
                : Effect.succeed({
                  status: response.statusCode ?? 0,
                  retryAfter: response.headers["retry-after"],
                  text: mask(utf8.decode(bytes))
                })
            )
          }, broken)
        })
        outgoing.end(body)
        return Effect.sync(() => outgoing.destroy())
      })

    return (request) =>
      send(request, shared).pipe(
        Effect.catchIf(isStale, () => send(request, false)),
        Effect.catchTag("BrokenConnection", ({ cause }) => Effect.fail(gatewayFailed(`${title} ${describe(cause)}`)))
      )
  })
}

interface BrokenConnection {
  readonly _tag: "BrokenConnection"
  readonly cause: unknown
  /** The connection was a persistent one and broke before the response began. */
  readonly isStale: boolean
}

const isStale = (failure: BrokenConnection | GatewayFailure): failure is BrokenConnection =>
  failure._tag === "BrokenConnection" && failure.isStale

/** Shorter secrets are part of ordinary text. */
const MIN_SECRET_LENGTH = 8

/** Replaces secrets in a text. */
const makeMask = (secrets: ReadonlyArray<Redacted.Redacted>): (text: string) => string => {
  const texts = secrets.map(Redacted.value).filter((secret) => secret.length >= MIN_SECRET_LENGTH)
  if (texts.length === 0) return (text) => text
  const pattern = new RegExp(
    texts.map((text) => text.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`)).join("|"),
    "giu"
  )
  return (text) => text.replaceAll(pattern, "***")
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

/** Uses only the error code: the message of an error can quote what the peer sent. */
const describe = (cause: unknown): string => {
  const code = cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""
  if (code === "" || code === "ECONNRESET" || code === "EPIPE") return "closed the connection"
  if (code === "ECONNREFUSED") return "cannot be reached: the connection was refused (ECONNREFUSED)"
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `cannot be reached: its name cannot be resolved (${code})`
  if (refusesCertificate.test(code)) return `refused the client certificate (${code})`
  return isUntrusted.test(code)
    ? `cannot be trusted: its certificate is invalid (${code}). EGRESS_CA_FILE adds certificate authorities`
    : `cannot be reached (${code})`
}

const refusesCertificate = /ALERT_(\w*CERTIFICATE\w*|UNKNOWN_CA|HANDSHAKE_FAILURE|ACCESS_DENIED)/u
const isUntrusted = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/u
