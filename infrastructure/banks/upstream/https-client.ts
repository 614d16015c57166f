import http from "node:http"
import https from "node:https"
import { Effect, Result, type Scope } from "effect"
import { inTrouble, type NoStatement } from "./gateway.ts"
import { readText } from "./read-text.ts"

export interface UpstreamRequest {
  readonly method: "GET" | "POST"
  /** Below the base URL, with a slash in front. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface UpstreamResponse {
  readonly status: number
  /** The header `Retry-After`, as it is. */
  readonly retryAfter: string | undefined
  /** The whole body, as it came. */
  readonly text: string
}

/** Whom a client is, and whom it trusts; PEM. */
export interface ClientTrust {
  /** Authorities instead of those of the runtime. */
  readonly authorities?: ReadonlyArray<string> | undefined
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined
}

export interface UpstreamClientOptions extends ClientTrust {
  /** As it is called in messages. */
  readonly title: string
  readonly baseUrl: string
  /** Of a body. */
  readonly maxBytes?: number
}

/** Sends a request and reads the answer, whatever its status. Fails where there is none. */
export type UpstreamClient = (request: UpstreamRequest) => Effect.Effect<UpstreamResponse, NoStatement>

const MAX_BODY_BYTES = 256 * 1024
const MAX_HEADER_BYTES = 16 * 1024

/**
 * Speaks to one upstream over connections that are kept. Redirects are not followed: the secrets are for this upstream
 * alone. Whoever sets a time limit interrupts; the connection is then cut.
 *
 * A kept connection may have been closed by the upstream just when the request was written. Such a request is sent once
 * more, on a new connection: all that is asked of banks here may be asked twice.
 */
export const makeUpstreamClient = (
  { authorities, baseUrl, certificate, maxBytes = MAX_BODY_BYTES, title }: UpstreamClientOptions
): Effect.Effect<UpstreamClient, never, Scope.Scope> => {
  const transport = baseUrl.startsWith("https:") ? https : http
  const identity = {
    ...(authorities === undefined ? {} : { ca: [...authorities] }),
    ...(certificate === undefined ? {} : { cert: certificate.cert, key: certificate.key })
  }
  return Effect.gen(function* () {
    const kept = yield* Effect.acquireRelease(
      Effect.sync(() => new transport.Agent({ keepAlive: true, ...identity })),
      (agent) => Effect.sync(() => agent.destroy())
    )

    const send = (request: UpstreamRequest, agent: http.Agent | false) =>
      Effect.callback<UpstreamResponse, Broken | NoStatement>((resume) => {
        const { body, headers, method, path } = request
        const outgoing = transport.request(baseUrl + path, {
          method,
          agent,
          headers: {
            "user-agent": "SlipTrail",
            // Compressed bodies are not asked for: a few bytes of them could become any number.
            "accept-encoding": "identity",
            ...headers,
            ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) })
          },
          maxHeaderSize: MAX_HEADER_BYTES,
          ...(agent === false ? identity : {})
        })
        let isAnswered = false
        const broke = (cause: unknown) =>
          resume(Effect.fail({ _tag: "Broken", cause, isStale: outgoing.reusedSocket && !isAnswered }))

        // These listeners stay for good: what a peer does after the end must find one, and changes nothing.
        outgoing.on("error", broke)
        outgoing.on("close", () => isAnswered || broke(undefined))
        outgoing.on("upgrade", (_, socket) => {
          socket.on("error", () => {}).destroy()
          broke(undefined)
        })
        outgoing.on("response", (response) => {
          isAnswered = true
          readText(response, maxBytes, (read) => {
            if (Result.isFailure(read)) outgoing.destroy()
            resume(
              Result.match(read, {
                onSuccess: (text) => Effect.succeed(headOf(response, text)),
                onFailure: (what) => Effect.fail(inTrouble(`${title} sent ${what}`))
              })
            )
          }, broke)
        })
        outgoing.end(body)
        return Effect.sync(() => outgoing.destroy())
      })

    return (request) =>
      send(request, kept).pipe(
        Effect.catchIf(isStale, () => send(request, false)),
        Effect.catchTag("Broken", ({ cause }) => Effect.fail(inTrouble(`${title} ${whyBroken(cause)}`)))
      )
  })
}

/** The connection did not come about or broke off. */
interface Broken {
  readonly _tag: "Broken"
  readonly cause: unknown
  /** It was a kept one, and no answer had begun. */
  readonly isStale: boolean
}

const isStale = (failure: Broken | NoStatement): failure is Broken => failure._tag === "Broken" && failure.isStale

const headOf = ({ headers, statusCode = 0 }: http.IncomingMessage, text: string): UpstreamResponse => ({
  status: statusCode,
  retryAfter: headers["retry-after"],
  text
})

/** Only the code: the words of an error may quote what the peer sent. */
const whyBroken = (cause: unknown): string => {
  const code = cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""
  if (code === "" || code === "ECONNRESET" || code === "EPIPE") return "cut the connection"
  if (code === "ECONNREFUSED") return "can't be reached: nobody listens there (ECONNREFUSED)"
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `can't be reached: its name can't be resolved (${code})`
  if (refusesCertificate.test(code)) return `refuses the certificate of this client (${code})`
  return isUntrusted.test(code)
    ? `can't be trusted: its certificate is no good (${code}); EGRESS_CA_FILE adds authorities`
    : `can't be reached (${code})`
}

const refusesCertificate = /ALERT_(\w*CERTIFICATE\w*|UNKNOWN_CA|HANDSHAKE_FAILURE|ACCESS_DENIED)/u
const isUntrusted = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/u
