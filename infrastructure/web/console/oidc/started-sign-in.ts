import { Clock, Effect, Option, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { randomBytes } from "node:crypto"
import { Sealed } from "../../../../domain/sealed.ts"
import type { Vault } from "../../../../ports/vault.ts"
import { hostCookie } from "../../http/server/browser-requests.ts"
import type { Exchange } from "../../http/server/endpoint.ts"
import { languageCodes } from "../../languages/languages.ts"

/** How long a person may take at the provider. */
const MAX_MILLIS = 10 * 60_000

/** A longer path would not fit into the cookie. */
const MAX_PATH_LENGTH = 512

/** What the browser keeps while the person is at the provider. */
const StartedSignIn = Schema.Struct({
  state: Schema.String,
  nonce: Schema.String,
  verifier: Schema.String,
  /** The path to go to afterwards. */
  to: Schema.String,
  /** The language of the page. The browser does not send its cookie with the provider's redirect. */
  language: Schema.Literals(languageCodes),
  /** Milliseconds since 1970. */
  startedAt: Schema.Int
})
export type StartedSignIn = typeof StartedSignIn.Type

const PURPOSE = "console-oidc"

const decodeSealed = Schema.decodeUnknownOption(Schema.fromJsonString(Sealed))
const decodeStarted = Schema.decodeUnknownOption(Schema.fromJsonString(StartedSignIn))

const random = (): string => randomBytes(32).toString("base64url")

/** A sign-in that begins now. */
export const newSignIn = (
  { language, to }: Pick<StartedSignIn, "language" | "to">,
  startedAt: number
): StartedSignIn => ({
  state: random(),
  nonce: random(),
  verifier: random(),
  to: to.length <= MAX_PATH_LENGTH ? to : "/console",
  language,
  startedAt
})

const cookieOf = (exchange: Exchange) => hostCookie(exchange, "sliptrail_oidc", "/console/login/oidc")

/**
 * The cookie of a started sign-in. It is sealed: neither the browser's other programs nor a proxy can read the values that
 * prove the sign-in. It is `Lax`, because the provider, another site, leads the browser back.
 */
export const makeStartedSignIns = ({ open, seal }: Pick<Vault["Service"], "open" | "seal">) => {
  const set = Effect.fnUntraced(function* (
    exchange: Exchange,
    response: HttpServerResponse.HttpServerResponse,
    value: string,
    maxAgeMillis: number
  ) {
    const { name, ...options } = yield* cookieOf(exchange)
    return HttpServerResponse.setCookieUnsafe(response, name, value, {
      ...options,
      maxAge: maxAgeMillis,
      httpOnly: true,
      sameSite: "lax"
    })
  })

  return {
    remember: Effect.fnUntraced(function* (
      exchange: Exchange,
      response: HttpServerResponse.HttpServerResponse,
      started: StartedSignIn
    ) {
      const sealed = yield* seal(PURPOSE, JSON.stringify(started))
      return yield* set(exchange, response, Buffer.from(JSON.stringify(sealed)).toString("base64url"), MAX_MILLIS)
    }),

    /** The sign-in that this browser started; undefined when there is none, or when it has expired. */
    recall: Effect.fnUntraced(function* (exchange: Exchange) {
      const { name } = yield* cookieOf(exchange)
      const sealed = decodeSealed(Buffer.from(exchange.request.cookies[name] ?? "", "base64url").toString())
      if (Option.isNone(sealed)) return undefined
      const plain = yield* Effect.option(open(PURPOSE, sealed.value))
      const started = Option.getOrUndefined(Option.flatMap(plain, decodeStarted))
      if (started === undefined) return undefined
      return (yield* Clock.currentTimeMillis) - started.startedAt < MAX_MILLIS ? started : undefined
    }),

    /** Each started sign-in has one answer. */
    clear: (exchange: Exchange, response: HttpServerResponse.HttpServerResponse) => set(exchange, response, "", 0)
  }
}
