import type { Issue } from "../api-error.ts"
import { html } from "../html.ts"
import type { Page, Visit } from "./visit.ts"

/** There is no such page, or nothing behind it. */
export const notFoundPage = ({ words: { trouble } }: Visit, what: string = trouble.notFound): Page => ({
  _tag: "Page",
  status: 404,
  title: what,
  content: html`<h1>${what}</h1><p>${trouble.notFoundHint}</p>`
})

/** What was asked for was not done, and why. */
export const refusedPage = (
  { exchange: { requestId }, words: { trouble } }: Visit,
  status: number,
  reason: string,
  issues: ReadonlyArray<Issue>
): Page => ({
  _tag: "Page",
  status,
  title: trouble.refused,
  content: html`<h1>${trouble.refused}</h1><div class="banner bad" role="alert"><p>${reason}</p>${
    issues.map(({ message, path }) => html`<p>${path} ${message}</p>`)
  }</div><p class="hint">${trouble.requestId}: <code>${requestId}</code></p>`
})
