import { Clock, Effect, Redacted } from "effect"
import { Vault } from "../../ports/vault.ts"
import { readBody } from "../http/body.ts"
import type { Exchange } from "../http/endpoint.ts"
import type { Maintenance } from "../http/maintenance.ts"
import { queryOf } from "../http/page.ts"
import { assetAt } from "./assets.ts"
import { makeDoor } from "./console-auth.ts"
import { isLanguage, LANGUAGE_COOKIE, wordsFor } from "./language.ts"
import { renderPage } from "./layout.ts"
import { ownPath } from "./login.ts"
import { makePages } from "./pages.ts"
import { sendFile, sendHtml, sendSeeOther } from "./respond.ts"
import { isOwnForm } from "./same-site.ts"
import { isEqual, type Session } from "./session.ts"
import { failedPage, notFoundPage, refusedPage } from "./error-pages.ts"
import type { Answer, Visit } from "./page-context.ts"
import { type Failure, toAdminError } from "../http/application-failures.ts"

/** How forms arrive. */
const FORMS = ["application/x-www-form-urlencoded"]

/** The path of a request, whatever stands around it. */
const pathOf = ({ request: { url } }: Exchange): string =>
  (/^(?:https?:\/\/[^/]+)?([^?#]*)/iu.exec(url)?.[1] ?? "").replace(/\/{2,}/gu, "/")

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const partsOf = (path: string): ReadonlyArray<string> =>
  path.split("/").slice(2).filter((part) => part !== "").map(decoded)

/** A whole year: which language somebody reads does not change by the day. */
const LANGUAGE_SECONDS = 31_536_000

/** The console behind its door. `look` answers what is asked for, `act` the forms. */
export const makeSite = Effect.fnUntraced(function* (token: Redacted.Redacted, maintenance: Maintenance) {
  const door = makeDoor(Redacted.value(token), yield* Vault)
  const pages = makePages(maintenance)

  const visitOf = (exchange: Exchange, { formToken }: Session): Visit => ({
    words: wordsFor(exchange.headers),
    exchange,
    path: pathOf(exchange),
    params: [],
    query: queryOf(exchange),
    fields: {},
    issues: [],
    formToken
  })

  const render = ({ exchange, formToken, path, query, words }: Visit, answer: Answer) => {
    if (answer._tag === "SeeOther") return sendSeeOther(answer.path, exchange)
    if (answer._tag === "Part") return sendHtml(answer.content, 200, exchange)
    const { content, menu, status = 200, title } = answer
    const here = query.size === 0 ? path : `${path}?${query.toString()}`
    const sought = query.get("q") ?? ""
    return sendHtml(renderPage({ words, title, content, menu, here, formToken, sought }), status, exchange)
  }

  const answered = <R>(visit: Visit, answer: Effect.Effect<Answer, Failure, R>) =>
    answer.pipe(
      Effect.catch((error) => Effect.succeed(failedPage(visit, toAdminError(error)))),
      Effect.map((answer) => render(visit, answer))
    )

  const language = (exchange: Exchange, chosen: string | undefined) => {
    const to = ownPath(queryOf(exchange).get("to"))
    const cookie = `${LANGUAGE_COOKIE}=${chosen}; Path=/console; Max-Age=${LANGUAGE_SECONDS}; HttpOnly; SameSite=Strict`
    return sendSeeOther(to, { ...exchange, answerHeaders: isLanguage(chosen) ? { "set-cookie": cookie } : {} })
  }

  const look = Effect.fnUntraced(function* (exchange: Exchange) {
    const path = pathOf(exchange)
    const file = assetAt(path)
    if (file !== undefined) return sendFile(file.text, file.contentType, exchange)
    const parts = partsOf(path)
    if (parts[0] === "language") return language(exchange, parts[1])
    const session = door.session(exchange, yield* Clock.currentTimeMillis)
    if (parts[0] === "login") return door.showLogin(exchange, session)
    if (session === undefined) return door.sendToLogin(exchange)

    const visit = visitOf(exchange, session)
    const found = pages.looks(parts)
    if (found === undefined) return render(visit, notFoundPage(visit))
    return yield* answered({ ...visit, params: found.params }, found.page({ ...visit, params: found.params }))
  })

  const act = Effect.fnUntraced(function* (exchange: Exchange) {
    const parts = partsOf(pathOf(exchange))
    if (parts[0] === "login") return yield* door.login(exchange)
    const session = door.session(exchange, yield* Clock.currentTimeMillis)
    if (session === undefined) return door.sendToLogin(exchange)

    const visit = visitOf(exchange, session)
    const refuse = (reason: string) => render(visit, refusedPage(visit, reason))
    if (!isOwnForm(exchange)) return refuse(visit.words.login.foreign)
    const read = yield* Effect.result(readBody(exchange, FORMS))
    if (read._tag === "Failure") return render(visit, failedPage(visit, toAdminError(read.failure)))
    const { csrf, ...fields } = read.success.fields
    if (typeof csrf !== "string" || !isEqual(csrf, session.formToken)) return refuse(visit.words.trouble.expired)
    if (parts[0] === "logout") return yield* door.logout(exchange)

    const found = pages.acts(parts)
    if (found === undefined) return render(visit, notFoundPage(visit))
    const acting = { ...visit, fields, params: found.params }
    return yield* answered(acting, found.page(acting))
  })

  return { look, act }
})
