import { Effect } from "effect"
import { type Content, type Html, markup } from "../http/html.ts"
import type { Page, Visit } from "./page-context.ts"
import type { Words } from "./messages/en.ts"
import type { Issue } from "../input/decode.ts"
import { type ApiError, messageOf, v2Failures } from "../http/api/failures.ts"

/** There is no such page, or nothing behind it. */
export const notFoundPage = ({ words: { trouble } }: Visit, what: string = trouble.notFound): Page => ({
  _tag: "Page",
  status: 404,
  title: what,
  content: markup`<h1>${what}</h1><p>${trouble.notFoundHint}</p>`
})

/** What is wrong with a field, in the language of the page. */
export const issueText = ({ refusals }: Words, { message, path }: Issue): string => {
  const fields: Readonly<Record<string, string>> = refusals.fields
  return fields[path.split(".")[0] ?? ""] ?? refusals.otherField(message)
}

/** The same with the name of the field, where no field stands beside it. */
export const issueView = (words: Words, issue: Issue): Html =>
  markup`<p>${issue.path === "" ? undefined : markup`<code>${issue.path}</code> `}${issueText(words, issue)}</p>`

interface Told {
  readonly title: string
  readonly status: number
  readonly reason: string
  readonly issues?: ReadonlyArray<Issue>
}

const page = ({ exchange: { requestId }, words }: Visit, { issues = [], reason, status, title }: Told): Page => ({
  _tag: "Page",
  status,
  title,
  content: markup`<h1>${title}</h1><div class="banner bad" role="alert"><p>${reason}</p>${
    issues.map((issue) => issueView(words, issue))
  }</div><p class="hint">${words.trouble.requestId}: <code>${requestId}</code></p>`
})

/** What a form asked for was not done, because of the form itself. */
export const refusedPage = (visit: Visit, reason: string): Page =>
  page(visit, { status: 403, title: visit.words.trouble.refused, reason })

/** What was asked for was not done, or can't be shown, and why. */
export const failedPage = (visit: Visit, error: ApiError): Page => {
  const { refusals, trouble } = visit.words
  const { code, issues = [] } = error
  const { status } = v2Failures[code]
  const reasons: Readonly<Record<string, string>> = refusals.reasons
  const reason = reasons[code] ?? refusals.otherReason(messageOf(error))
  if (status === 404) return notFoundPage(visit, reason)
  return page(visit, {
    status,
    // While an engine is away nobody knows what became of a form: it may have been done.
    title: code === "API_SERVER_ERROR" ? trouble.away : trouble.refused,
    reason,
    issues
  })
}

/** A part of a page that can't be had does not keep the others from being seen. */
export const orAway = <E, R>(
  { words }: Visit,
  section: Effect.Effect<Content, E, R>
): Effect.Effect<Content, never, R> =>
  Effect.orElseSucceed(section, (): Content => markup`<p class="banner bad">${words.trouble.away}</p>`)
