import type { Issue } from "../api/failures.ts"
import { type Content, markup, type PageOf } from "./html.ts"

/** The name of the field that an issue is about; empty for one of the whole form. */
export const fieldNameOf = ({ path }: Issue): string => path.split(".")[0] ?? ""

/** What an error page shows of its request: the label of the request's id, and the id. */
interface FailedRequest {
  readonly exchange: { readonly requestId: string }
  readonly messages: { readonly errors: { readonly requestId: string } }
}

interface ErrorPage {
  readonly title: string
  readonly status: number
  readonly reason: string
  /** The errors of fields. */
  readonly issues?: ReadonlyArray<Content>
  /** Ways on. */
  readonly links?: Content
}

/** The page for a failed request: what failed and why, and the id that leads to it in the log. */
export const errorPage = (
  { exchange: { requestId }, messages: { errors } }: FailedRequest,
  { issues, links, reason, status, title }: ErrorPage
): PageOf<never> => ({
  _tag: "Page",
  status,
  title,
  content: markup`<h1>${title}</h1><div class="banner bad" role="alert"><p>${reason}</p>${issues}</div>${links}
<p class="hint">${errors.requestId}: <code>${requestId}</code></p>`
})
