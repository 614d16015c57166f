import type { Operator } from "../../../application/operators/require-act.ts"
import type { RequestIds } from "../../../application/events/handle-command.ts"
import type { Messages } from "./messages.ts"
import type { SiteContext } from "../http/sites/site-context.ts"
import type { Fragment, PageOf, Redirect } from "../pages/page-result.ts"

/** A request of a signed-in operator, as a page or a form handler receives it. */
export interface PageContext extends SiteContext<Messages> {
  /** The page that is shown. For a form that is shown again, the path of the page that has it. */
  readonly pagePath: string
  readonly operator: Operator
  /** Whether the operator's role may open a page, or send a form to a path of the console. */
  readonly may: (path: string) => boolean
}

export type Menu =
  | "overview"
  | "verifications"
  | "jobs"
  | "callbacks"
  | "services"
  | "audit"
  | "projections"
  | "operators"

export type Page = PageOf<Menu>

export type PageResult = Page | Fragment | Redirect

/** The id in the page's path, in lower case as ids are stored. */
export const idOf = ({ params: [id = ""] }: PageContext): string => id.toLowerCase()

/** The actor and the request ids that events of this request get. */
export const requestIdsOf = ({ exchange, operator }: Pick<PageContext, "exchange" | "operator">): RequestIds => ({
  actor: { kind: "admin", id: "console", operator: operator.name },
  correlationId: exchange.requestId,
  clientRequestId: exchange.clientRequestId
})

/** A path below `/console`; its parts are encoded. */
export const pathTo = (...parts: ReadonlyArray<string>): string =>
  ["/console", ...parts.map(encodeURIComponent)].join("/")
