import type { Caller } from "../../../application/provisioning/callers.ts"
import type { RequestIds } from "../../../application/events/handle-command.ts"
import type { Scope } from "../../../domain/api-key.ts"
import type { SiteContext } from "../http/sites/site-context.ts"
import type { Fragment, PageOf, Redirect } from "../pages/html.ts"
import type { Messages } from "./messages.ts"

/** A request of a signed-in branch, as a page or a form handler receives it. */
export interface ShopContext extends SiteContext<Messages> {
  /** The branch of the session, with its key. */
  readonly caller: Caller
  /** Whether the key of the session has a scope. */
  readonly may: (scope: Scope) => boolean
}

export type Menu = "check" | "history" | "settings"

export type Page = PageOf<Menu>

export type PageResult = Page | Fragment | Redirect

/** The actor and the request ids that events of this request get. */
export const requestIdsOf = (
  { caller: { actor }, exchange }: Pick<ShopContext, "caller" | "exchange">
): RequestIds => ({
  actor,
  correlationId: exchange.requestId,
  clientRequestId: exchange.clientRequestId
})

/** A path below `/app`; its parts are encoded. */
export const pathTo = (...parts: ReadonlyArray<string>): string => ["/app", ...parts.map(encodeURIComponent)].join("/")
