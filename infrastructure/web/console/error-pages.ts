import { Effect } from "effect"
import { messageOf, statusOf } from "../api/failures.ts"
import { type Failure, toAdminError } from "../http/operations/application-failures.ts"
import { faultsOf } from "../input/form-faults.ts"
import { errorPage, fieldNameOf } from "../pages/error-page.ts"
import { type Content, type Html, markup } from "../pages/html.ts"
import type { Issue } from "../api/failures.ts"
import type { Messages } from "./messages.ts"
import type { Page, PageContext } from "./page-context.ts"

/** The answer when the page or its subject does not exist. */
export const notFoundPage = ({ messages: { errors } }: PageContext, title: string = errors.notFound): Page => ({
  _tag: "Page",
  status: 404,
  title,
  content: markup`<h1>${title}</h1><p>${errors.notFoundHint}</p>`
})

/** The error of a field, in the language of the page. */
export const issueText = ({ rejections }: Messages, issue: Issue): string => {
  const fields: Readonly<Record<string, string>> = rejections.fields
  return fields[fieldNameOf(issue)] ?? rejections.otherField(issue.message)
}

/** The error with the field's name, for a place outside the form. */
export const issueView = (messages: Messages, issue: Issue): Html =>
  markup`<p>${issue.path === "" ? undefined : markup`<code>${issue.path}</code> `}${issueText(messages, issue)}</p>`

/** The form is refused as a whole, for example because another site sent it. */
export const forbiddenPage = (context: PageContext, reason: string): Page =>
  errorPage(context, { status: 403, title: context.messages.errors.rejected, reason })

/** The action was not done, for a reason of its own. */
export const rejectedPage = (context: PageContext, reason: string): Page =>
  errorPage(context, { status: 500, title: context.messages.errors.rejected, reason })

/** Why a request failed, in the language of the page. */
export const reasonText = ({ rejections }: Messages, failure: Failure): string => {
  const reasons: Readonly<Record<string, string>> = rejections.reasons
  const error = toAdminError(failure)
  return reasons[failure._tag] ?? reasons[error.code] ?? rejections.otherReason(messageOf(error))
}

/** The page for a failed request, with the reason. */
export const failedPage = (context: PageContext, failure: Failure): Page => {
  const { errors } = context.messages
  const error = toAdminError(failure)
  const { code } = error
  const issues = faultsOf(failure)
    ?? (Object.hasOwn(context.messages.rejections.reasons, failure._tag) ? [] : error.issues)
  const status = statusOf(error)
  const reason = reasonText(context.messages, failure)
  if (status === 404) return notFoundPage(context, reason)
  // When a store fails, a form may have taken effect: the title must not say that it was rejected.
  const title = code === "API_SERVER_ERROR" ? errors.unavailable : errors.rejected
  return errorPage(context, {
    status,
    title,
    reason,
    issues: issues?.map((issue) => issueView(context.messages, issue)) ?? []
  })
}

/** A section of a page. When it fails, a notice takes its place and the rest of the page is shown. */
export const orUnavailable = <E, R>(
  { messages }: PageContext,
  section: Effect.Effect<Content, E, R>
): Effect.Effect<Content, never, R> =>
  Effect.orElseSucceed(section, (): Content => markup`<p class="banner bad">${messages.errors.unavailable}</p>`)
