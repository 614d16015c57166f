import { type ApiError, messageOf, statusOf } from "../api/failures.ts"
import { errorPage, fieldNameOf } from "../pages/error-page.ts"
import { markup } from "../pages/html.ts"
import type { Issue } from "../api/failures.ts"
import type { Messages } from "./messages.ts"
import type { Page, ShopContext } from "./page-context.ts"

/** What happened and what to do, in the language of the page. */
export const refusalText = ({ refusals }: Messages, error: ApiError): string => {
  const texts: Readonly<Record<string, string>> = refusals.byCode
  return texts[error.code] ?? refusals.other(messageOf(error))
}

/** The error of a field, in the language of the page. */
export const issueText = ({ refusals }: Messages, issue: Issue): string => {
  const fields: Readonly<Record<string, string>> = refusals.fields
  return fields[fieldNameOf(issue)] ?? refusals.other(issue.message)
}

type Failed = Pick<ShopContext, "exchange" | "messages">

const pageWithLink = (context: Failed, page: Parameters<typeof errorPage>[1]): Page =>
  errorPage(context, {
    ...page,
    links: markup`<p><a class="button" href="/app">${context.messages.errors.home}</a></p>`
  })

/** The answer when the page or its subject does not exist. */
export const notFoundPage = (context: ShopContext, reason: string = context.messages.errors.notFoundHint): Page =>
  pageWithLink(context, { status: 404, title: context.messages.errors.notFound, reason })

/** The form or the page is refused as a whole. */
export const forbiddenPage = (context: ShopContext, reason: string): Page =>
  pageWithLink(context, { status: 403, title: context.messages.errors.rejected, reason })

/** The page for a failed request, with the reason. */
export const failedPage = (context: Failed, error: ApiError): Page => {
  const { errors } = context.messages
  const status = statusOf(error)
  const issues = (error.issues ?? []).map((issue) => markup`<p>${issueText(context.messages, issue)}</p>`)
  // When a store fails, a form may have taken effect: the title must not say that it was rejected.
  const title = status === 404 ? errors.notFound : status >= 500 ? errors.unavailable : errors.rejected
  return pageWithLink(context, { status, title, reason: refusalText(context.messages, error), issues })
}
