import type { Caller } from "../../application/provisioning/callers.ts"
import type { Operation } from "../../application/provisioning/operator-command.ts"
import type { Scope } from "../../domain/api-key.ts"
import type { Exchange } from "../http/endpoint.ts"
import type { Fields } from "../input/decode.ts"
import type { Issue } from "../api/failures.ts"
import type { Fragment, PageOf, Redirect } from "../pages/page-result.ts"
import type { Messages } from "./messages.ts"

/** A request of a signed-in branch, as a page or a form handler receives it. */
export interface ShopContext {
  readonly messages: Messages
  readonly exchange: Exchange
  /** Such as `/app/verifications`. */
  readonly path: string
  /** The values of the `:` parts of the page's pattern, decoded. */
  readonly params: ReadonlyArray<string>
  readonly query: URLSearchParams
  /** The fields of a form; empty ones are absent. A file is a `Uint8Array`. Empty for a GET request. */
  readonly fields: Fields
  /** Errors of the fields, when the page shows a rejected form again. */
  readonly issues: ReadonlyArray<Issue>
  readonly formToken: string
  /** The branch of the session, with its key. */
  readonly caller: Caller
  /** Whether the key of the session has a scope. */
  readonly may: (scope: Scope) => boolean
  /** Whether the sandbox bank is one of the gateways. */
  readonly isSandbox: boolean
}

export type Menu = "check" | "history" | "settings"

export type Page = PageOf<Menu>

export type PageResult = Page | Fragment | Redirect

/** The actor and the request ids that events of this request get. */
export const operationOf = ({ caller: { actor }, exchange }: Pick<ShopContext, "caller" | "exchange">): Operation => ({
  actor,
  correlationId: exchange.requestId,
  clientRequestId: exchange.clientRequestId
})

/** A path below `/app`; its parts are encoded. */
export const pathTo = (...parts: ReadonlyArray<string>): string => ["/app", ...parts.map(encodeURIComponent)].join("/")
