import { Clock, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Vault } from "../../ports/vault.ts"
import { readBody } from "../http/body.ts"
import type { Exchange } from "../http/endpoint.ts"
import { queryOf } from "../http/page.ts"
import { makeAttempts } from "./attempts.ts"
import { wordsFor } from "./language.ts"
import { ownPath, renderLogin } from "./login.ts"
import { sendHtml, sendSeeOther } from "./respond.ts"
import { addressOf, cameByHttps, isOwnForm } from "./same-site.ts"
import { cookieOf, isEqual, makeSessions, type Session, SESSION_COOKIE, SESSION_SECONDS } from "./session.ts"

const pathAndQuery = ({ request: { url } }: Exchange): string => url.replace(/^https?:\/\/[^/]+/iu, "")

/** Who comes in, by the token, and who has been let in before. */
export const makeDoor = (token: string, vault: Vault["Service"]) => {
  const sessions = makeSessions(token, vault)
  const attempts = makeAttempts()

  const cookie = Effect.fnUntraced(function* (exchange: Exchange, value: string, seconds: number) {
    const secure = (yield* cameByHttps(exchange)) ? "; Secure" : ""
    return `${SESSION_COOKIE}=${value}; Path=/console; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`
  })

  const session = ({ headers }: Exchange, now: number): Session | undefined =>
    sessions.read(cookieOf(headers["cookie"], SESSION_COOKIE), now)

  const sendToLogin = (exchange: Exchange) => {
    const path = exchange.request.method === "GET"
      ? `/console/login?to=${encodeURIComponent(pathAndQuery(exchange))}`
      : "/console/login"
    // What a script asked for goes into a page: it is the page that has to go.
    return exchange.headers["hx-request"] === "true"
      ? HttpServerResponse.empty({
        status: 401,
        headers: { "hx-redirect": "/console/login", "x-request-id": exchange.requestId }
      })
      : sendSeeOther(path, exchange)
  }

  const showLogin = (exchange: Exchange, session: Session | undefined) => {
    const to = ownPath(queryOf(exchange).get("to"))
    return session === undefined
      ? sendHtml(renderLogin(wordsFor(exchange.headers), to), 200, exchange)
      : sendSeeOther(to, exchange)
  }

  const login = Effect.fnUntraced(function* (exchange: Exchange) {
    const words = wordsFor(exchange.headers)
    const read = yield* Effect.option(readBody(exchange, ["application/x-www-form-urlencoded"]))
    const { to, token: given } = read._tag === "Some" ? read.value.fields : {}
    const path = ownPath(typeof to === "string" ? to : null)
    const refuse = (status: number, trouble: string, answerHeaders: Readonly<Record<string, string>> = {}) =>
      sendHtml(renderLogin(words, path, trouble), status, { ...exchange, answerHeaders })

    if (!isOwnForm(exchange)) return refuse(403, words.login.foreign)
    const now = yield* Clock.currentTimeMillis
    const address = yield* addressOf(exchange)
    const pause = attempts.pauseOf(address, now)
    if (pause > 0) return refuse(429, words.login.pause(pause), { "retry-after": String(pause) })
    if (typeof given !== "string" || !isEqual(given.trim(), token)) {
      attempts.failed(address, now)
      yield* Effect.logWarning("somebody gave a wrong token to the console").pipe(Effect.annotateLogs({ address }))
      return refuse(401, words.login.wrong)
    }
    attempts.succeeded(address)
    const { value } = sessions.open(now)
    return sendSeeOther(path, {
      ...exchange,
      answerHeaders: { "set-cookie": yield* cookie(exchange, value, SESSION_SECONDS) }
    })
  })

  const logout = Effect.fnUntraced(function* (exchange: Exchange) {
    return sendSeeOther("/console/login", {
      ...exchange,
      answerHeaders: { "set-cookie": yield* cookie(exchange, "", 0) }
    })
  })

  return { session, sendToLogin, showLogin, login, logout }
}
