import { Deferred, Effect, type Scope } from "effect"
import https from "node:https"
import type { SlipQuestion } from "../../../ports/bank-gateway.ts"
import { type Asked, type Handler, listening, recording } from "../loopback-server.ts"
import { certificateOf } from "../tls.ts"

/** What a bank can be asked for. */
export type Kind = "token" | "slip"

/** An answer of a bank; what is no text goes as JSON. */
export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** How a bank speaks. */
export interface Protocol {
  readonly kindOf: (asked: Asked) => Kind | undefined
  /** `token` is the one to give. */
  readonly answerToken: (asked: Asked, token: string) => Reply
  /** `isGood` says of a token whether it was given and is still good. */
  readonly answerSlip: (asked: Asked, isGood: (token: string) => boolean) => Reply
}

/** A bank on loopback over TLS that behaves, unless a test says otherwise. */
export interface LocalBank {
  readonly url: string
  /** What was asked so far. */
  readonly asked: (kind: Kind) => ReadonlyArray<Asked>
  /** How many connections were made so far. */
  readonly connections: () => number
  /** Does something else with questions of that kind from now on; without a handler it behaves again. */
  readonly meddle: (kind: Kind, handler?: Handler) => void
  /** The next question of that kind, when it has come in. */
  readonly next: (kind: Kind) => Effect.Effect<Asked>
  /** No token that was given so far is good any more. */
  readonly forgetTokens: () => void
  /** Ends all connections, as a server does with those that are idle for too long. */
  readonly cut: () => void
}

/** The key under which a bank keeps a slip. */
export const slipKey = ({ sendingBank, transRef }: Pick<SlipQuestion, "sendingBank" | "transRef">): string =>
  `${sendingBank}:${transRef}`

/** The bearer token of a request, if it has one. */
export const bearerOf = ({ headers }: Asked): string => /^Bearer (.+)$/u.exec(headers.authorization ?? "")?.[1] ?? ""

/** With an authority, only clients with a certificate of that one get in. */
export const startLocalBank = (
  { answerSlip, answerToken, kindOf }: Protocol,
  clientAuthority?: string
): Effect.Effect<LocalBank, never, Scope.Scope> =>
  Effect.gen(function* () {
    const all: Array<Asked> = []
    const meddling = new Map<Kind, Handler>()
    const waiting = new Map<Kind, Array<Deferred.Deferred<Asked>>>()
    const tokens = new Set<string>()
    let connections = 0
    let given = 0

    const behave = (kind: Kind | undefined, asked: Asked): Reply => {
      if (kind === "slip") return answerSlip(asked, (token) => tokens.has(token))
      if (kind === undefined) return { status: 404, body: "<html><body>no such page</body></html>" }
      const token = `token-${++given}-of-a-test`
      const reply = answerToken(asked, token)
      if (reply.status === 200) tokens.add(token)
      return reply
    }

    const handler: Handler = (asked, response) => {
      const kind = kindOf(asked)
      for (const waiter of kind === undefined ? [] : waiting.get(kind)?.splice(0) ?? []) {
        Deferred.doneUnsafe(waiter, Effect.succeed(asked))
      }
      const meddler = kind === undefined ? undefined : meddling.get(kind)
      if (meddler === undefined) send(response, behave(kind, asked))
      else meddler(asked, response)
    }

    const server = https.createServer({
      ...certificateOf("trusted"),
      ...(clientAuthority === undefined ? {} : { ca: clientAuthority, requestCert: true, rejectUnauthorized: true })
    }, recording(all, handler))
    // Clients that are not let in are what some tests are about.
    server.on("tlsClientError", () => {})
    server.on("secureConnection", () => connections++)
    const port = yield* listening(server, "127.0.0.1")

    return {
      url: `https://127.0.0.1:${port}`,
      asked: (kind) => all.filter((asked) => kindOf(asked) === kind),
      connections: () => connections,
      meddle: (kind, meddler) => {
        if (meddler === undefined) meddling.delete(kind)
        else meddling.set(kind, meddler)
      },
      next: (kind) =>
        Effect.suspend(() => {
          const waiter = Deferred.makeUnsafe<Asked>()
          waiting.set(kind, [...waiting.get(kind) ?? [], waiter])
          return Deferred.await(waiter)
        }),
      forgetTokens: () => tokens.clear(),
      cut: () => server.closeAllConnections()
    }
  })

/** Sends an answer; a test's own handlers use it too. */
export const send = (response: Parameters<Handler>[1], { body, headers = {}, status }: Reply): void => {
  const isText = typeof body === "string"
  response.writeHead(status, { "content-type": isText ? "text/html" : "application/json", ...headers })
  response.end(isText ? body : JSON.stringify(body))
}
