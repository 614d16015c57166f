import { Deferred, Effect, type Scope } from "effect"
import https from "node:https"
import type { SlipQuestion } from "../../../ports/bank-gateway.ts"
import { type Handler, listening, type RecordedRequest, recording } from "../loopback-server.ts"
import { certificateOf } from "../tls.ts"

/** The kinds of requests to a bank. */
export type Kind = "token" | "slip" | "account"

/** An answer of a bank. A body that is not text is sent as JSON. */
export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** The protocol of a bank. */
export interface Protocol {
  readonly kindOf: (request: RecordedRequest) => Kind | undefined
  /** `token` is the access token to issue. Absent where there are no tokens. */
  readonly answerToken?: (request: RecordedRequest, token: string) => Reply
  /** Absent where there is no question about the account. */
  readonly answerAccount?: (request: RecordedRequest) => Reply
  /** `isValid` says whether a token was issued and is still valid. */
  readonly answerSlip: (request: RecordedRequest, isValid: (token: string) => boolean) => Reply
}

/** A bank on loopback over TLS that follows its protocol, unless a test overrides it. */
export interface LocalBank {
  readonly url: string
  /** The requests so far. */
  readonly requests: (kind: Kind) => ReadonlyArray<RecordedRequest>
  /** The number of connections so far. */
  readonly connections: () => number
  /** Handles requests of that kind with the handler from now on. Without a handler, by the protocol again. */
  readonly override: (kind: Kind, handler?: Handler) => void
  /** Waits for the next request of that kind. */
  readonly next: (kind: Kind) => Effect.Effect<RecordedRequest>
  /** Revokes all issued tokens. */
  readonly revokeTokens: () => void
  /** Closes all connections, as a server does with idle ones. */
  readonly cut: () => void
}

/** The key of a slip in a bank's data. */
export const slipKey = ({ sendingBank, transRef }: Pick<SlipQuestion, "sendingBank" | "transRef">): string =>
  `${sendingBank}:${transRef}`

/** The bearer token of a request, if it has one. */
export const bearerOf = ({ headers }: RecordedRequest): string =>
  /^Bearer (.+)$/u.exec(headers.authorization ?? "")?.[1] ?? ""

/** With an authority, the bank accepts only clients with a certificate of it. */
export const startLocalBank = (
  { answerAccount, answerSlip, answerToken, kindOf }: Protocol,
  clientAuthority?: string
): Effect.Effect<LocalBank, never, Scope.Scope> =>
  Effect.gen(function* () {
    const all: Array<RecordedRequest> = []
    const overrides = new Map<Kind, Handler>()
    const waiting = new Map<Kind, Array<Deferred.Deferred<RecordedRequest>>>()
    const tokens = new Set<string>()
    let connections = 0
    let issued = 0

    const answerByProtocol = (kind: Kind | undefined, request: RecordedRequest): Reply => {
      if (kind === "slip") return answerSlip(request, (token) => tokens.has(token))
      if (kind === "account" && answerAccount !== undefined) return answerAccount(request)
      if (kind !== "token" || answerToken === undefined) {
        return { status: 404, body: "<html><body>no such page</body></html>" }
      }
      const token = `token-${++issued}-of-a-test`
      const reply = answerToken(request, token)
      if (reply.status === 200) tokens.add(token)
      return reply
    }

    const handler: Handler = (request, response) => {
      const kind = kindOf(request)
      for (const waiter of kind === undefined ? [] : waiting.get(kind)?.splice(0) ?? []) {
        Deferred.doneUnsafe(waiter, Effect.succeed(request))
      }
      const override = kind === undefined ? undefined : overrides.get(kind)
      if (override === undefined) send(response, answerByProtocol(kind, request))
      else override(request, response)
    }

    const server = https.createServer({
      ...certificateOf("trusted"),
      ...(clientAuthority === undefined ? {} : { ca: clientAuthority, requestCert: true, rejectUnauthorized: true })
    }, recording(all, handler))
    // Some tests connect without a valid client certificate. The error is expected.
    server.on("tlsClientError", () => {})
    server.on("secureConnection", () => connections++)
    const port = yield* listening(server, "127.0.0.1")

    return {
      url: `https://127.0.0.1:${port}`,
      requests: (kind) => all.filter((request) => kindOf(request) === kind),
      connections: () => connections,
      override: (kind, override) => {
        if (override === undefined) overrides.delete(kind)
        else overrides.set(kind, override)
      },
      next: (kind) =>
        Effect.suspend(() => {
          const waiter = Deferred.makeUnsafe<RecordedRequest>()
          waiting.set(kind, [...waiting.get(kind) ?? [], waiter])
          return Deferred.await(waiter)
        }),
      revokeTokens: () => tokens.clear(),
      cut: () => server.closeAllConnections()
    }
  })

/** Sends an answer. Handlers of tests use it too. */
export const send = (response: Parameters<Handler>[1], { body, headers = {}, status }: Reply): void => {
  const isText = typeof body === "string"
  response.writeHead(status, { "content-type": isText ? "text/html" : "application/json", ...headers })
  response.end(isText ? body : JSON.stringify(body))
}
