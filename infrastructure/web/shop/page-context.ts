import { Effect } from "effect"
import type { BankAccounts } from "../../../application/bank-accounts/list-bank-accounts.ts"
import type { SlipIntake } from "../../../application/jobs/enqueue-slips.ts"
import type { Callers } from "../../../application/provisioning/callers.ts"
import type { Directory } from "../../../application/provisioning/directory.ts"
import type { SlipVerifier } from "../../../application/verification/verify-slip.ts"
import type { BankGateway } from "../../../ports/bank-gateway.ts"
import type { Claims } from "../../../ports/claims.ts"
import type { EventStore } from "../../../ports/event-store.ts"
import type { Egress } from "../../../ports/egress.ts"
import type { Quota } from "../../../ports/quota.ts"
import type { Identifiers } from "../../../ports/identifiers.ts"
import type { ReadModels } from "../../../ports/read-models.ts"
import type { UnchargedLimiter } from "../../../ports/uncharged-limiter.ts"
import type { Vault } from "../../../ports/vault.ts"
import type { Failure } from "../http/operations/application-failures.ts"
import type { Caller } from "../../../application/provisioning/callers.ts"
import type { RequestIds } from "../../../application/events/handle-command.ts"
import type { Scope } from "../../../domain/api-key.ts"
import type { SiteContext } from "../http/sites/site-context.ts"
import type { Fragment, PageOf, Redirect } from "../pages/html.ts"
import type { Messages } from "./messages.ts"
import { orShowForm } from "../pages/forms.ts"

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

/** What a page or an action does, with the failures and the services that it may have. */
type Answer = Effect.Effect<
  PageResult,
  Failure,
  | BankAccounts
  | BankGateway
  | Callers
  | Claims
  | Egress
  | Quota
  | Directory
  | EventStore
  | Identifiers
  | ReadModels
  | SlipIntake
  | SlipVerifier
  | UnchargedLimiter
  | Vault
>

/** A page or the action of a form, with the scope that the key of the session needs for it. */
export interface Scoped {
  readonly scope: Scope
  readonly run: (context: ShopContext) => Answer
}

type Body = (context: ShopContext) => Generator<
  Effect.Effect<unknown, Effect.Error<Answer>, Effect.Services<Answer>>,
  PageResult,
  never
>

/** Declares the scope of a page or an action. It cannot be called any more: each way to it must ask for the scope. */
export const scoped = (scope: Scope, body: Body): Scoped => ({ scope, run: Effect.fnUntraced(body) })

/**
 * The action of a form. When its fields are not valid, shows the form's page again with the values and the errors. A key
 * that may send the form and not see the page gets the errors only: the action fails with them.
 */
export const formAction = (scope: Scope, page: Scoped, body: Body): Scoped => {
  const action = Effect.fnUntraced(body)
  return {
    scope,
    run: (context) => context.may(page.scope) ? orShowForm(context, page.run, action(context)) : action(context)
  }
}
