import { Effect } from "effect"
import type { BankAccounts } from "../../../application/bank-accounts/list-bank-accounts.ts"
import type { Operator } from "../../../application/operators/require-act.ts"
import type { Callers } from "../../../application/provisioning/callers.ts"
import { Directory } from "../../../application/provisioning/directory.ts"
import type { RequestIds } from "../../../application/events/handle-command.ts"
import type { Act } from "../../../domain/permissions.ts"
import type { EventStore } from "../../../ports/event-store.ts"
import type { GatewayStatuses } from "../../../ports/gateway-status.ts"
import type { Identifiers } from "../../../ports/identifiers.ts"
import type { ReadModels } from "../../../ports/read-models.ts"
import type { Vault } from "../../../ports/vault.ts"
import type { Failure } from "../http/operations/application-failures.ts"
import type { Standstill } from "../http/server/health.ts"
import type { Maintenance } from "../http/operations/maintenance.ts"
import type { SiteContext } from "../http/sites/site-context.ts"
import type { OperatorAccess } from "../operators/operator-access.ts"
import type { Messages } from "./messages.ts"
import type { Fragment, PageOf, Redirect } from "../pages/html.ts"
import { BranchNotFound } from "../../../domain/branch.ts"
import { ServiceNotFound } from "../../../domain/service.ts"
import { withQuery } from "../pages/paths.ts"

/** A request of a signed-in operator, as a page or a form handler receives it. */
export interface PageContext extends SiteContext<Messages> {
  /** The page that is shown. For a form that is shown again, the path of the page that has it. */
  readonly pagePath: string
  readonly operator: Operator
  /** Whether the operator's role may open a page, or send a form to a path of the console. */
  readonly may: (path: string) => boolean
  readonly maintenance: Maintenance
}

/** The entries of the menu: each has its text. */
export type Menu = Exclude<keyof Messages["menu"], "label">

export type Page = PageOf<Menu>

export type PageResult = Page | Fragment | Redirect

/** What a page or an action does, with the failures and the services that it may have. */
export type Answer<A = PageResult> = Effect.Effect<
  A,
  Failure,
  | BankAccounts
  | Callers
  | Directory
  | EventStore
  | GatewayStatuses
  | Identifiers
  | OperatorAccess
  | ReadModels
  | Standstill
  | Vault
>

/** A page or the action of a form, and the act of the table of permissions that it stands for. */
export interface Allowed {
  readonly act: Act
  readonly run: (context: PageContext) => Answer
}

export const allowed = (act: Act, run: Allowed["run"]): Allowed => ({ act, run })

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

/** The filters of the audit page. */
export const AUDIT_FILTERS = ["operator", "kind", "subject", "from", "to"] as const
export type AuditFilterName = typeof AUDIT_FILTERS[number]

export type AuditFilters = Readonly<Partial<Record<AuditFilterName, string>>>

export const AUDIT_PATH = "/console/audit"

/** The audit page with filters. */
export const auditPath = (filters: AuditFilters): string => withQuery(AUDIT_PATH, filters)

/** The id is in the query: callers choose it, and as a part of a path `..` would be resolved by the browser. */
export const requestPath = (id: string): string => `/console/request?${new URLSearchParams({ id }).toString()}`

/** The branch that the path of the page names. */
export const branchOf = Effect.fnUntraced(function* (context: PageContext) {
  return (yield* (yield* Directory).branch(idOf(context))) ?? (yield* new BranchNotFound())
})

/** The service that the path of the page names. */
export const serviceOf = Effect.fnUntraced(function* (context: PageContext) {
  return (yield* (yield* Directory).service(idOf(context))) ?? (yield* new ServiceNotFound())
})

/** The page of a thing, by its kind and its id. A slip has the id `bank:reference`. */
export const pageOfKind = {
  slip: (id: string) => pathTo("trail", "slip", ...id.split(":")),
  request: requestPath,
  callbackHost: (host: string) => withQuery("/console/callbacks", { host }),
  job: (id: string) => pathTo("trail", "job", id),
  verification: (id: string) => pathTo("trail", "verification", id),
  service: (id: string) => pathTo("services", id),
  branch: (id: string) => pathTo("branches", id),
  bankAccount: (id: string) => pathTo("bank-accounts", id),
  batch: (id: string) => pathTo("batches", id)
}
