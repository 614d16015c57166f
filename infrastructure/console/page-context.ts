import type { Operator } from "../../application/operators/require-act.ts"
import type { Operation } from "../../application/provisioning/operator-command.ts"
import type { Messages } from "./messages.ts"
import type { Exchange } from "../http/endpoint.ts"
import type { Fields } from "../input/decode.ts"
import type { Issue } from "../api/failures.ts"
import type { Fragment, PageOf, Redirect } from "../pages/page-result.ts"

/** A request of a signed-in operator, as a page or a form handler receives it. */
export interface PageContext {
  readonly messages: Messages
  readonly exchange: Exchange
  /** Such as `/console/services`. */
  readonly path: string
  /** The page that is shown. For a form that is shown again, the path of the page that has it. */
  readonly pagePath: string
  /** The values of the `:` parts of the page's pattern, decoded. */
  readonly params: ReadonlyArray<string>
  readonly query: URLSearchParams
  /** The fields of a form; empty ones are absent. Empty for a GET request. */
  readonly fields: Fields
  /** Errors of the fields, when the page shows a rejected form again. */
  readonly issues: ReadonlyArray<Issue>
  readonly formToken: string
  readonly operator: Operator
  /** Whether the operator's role may open a page, or send a form to a path of the console. */
  readonly may: (path: string) => boolean
  /** Whether the sandbox bank is one of the gateways. */
  readonly isSandbox: boolean
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
export const operationOf = ({ exchange, operator }: Pick<PageContext, "exchange" | "operator">): Operation => ({
  actor: { kind: "admin", id: "console", operator: operator.name },
  correlationId: exchange.requestId,
  clientRequestId: exchange.clientRequestId
})

/** A path below `/console`; its parts are encoded. */
export const pathTo = (...parts: ReadonlyArray<string>): string =>
  ["/console", ...parts.map(encodeURIComponent)].join("/")
