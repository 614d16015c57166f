import type { Effect } from "effect"
import type { Scope } from "../../../domain/api-key.ts"
import { orShowForm } from "../pages/forms.ts"
import type { PageResult, ShopContext } from "./page-context.ts"

/** A page or the action of a form, with the scope that the key of the session needs for it. */
export interface Scoped<E, R> {
  readonly scope: Scope
  readonly run: (context: ShopContext) => Effect.Effect<PageResult, E, R>
}

/** Declares the scope of a page or an action. It cannot be called any more: each way to it must ask for the scope. */
export const scoped = <E, R>(scope: Scope, run: Scoped<E, R>["run"]): Scoped<E, R> => ({ scope, run })

/**
 * Runs a form's action. When its fields are not valid, shows the form's page again with the values and the errors. A key
 * that may send the form and not see the page gets the errors only: the action fails with them.
 */
export const orShowPage = <E1, R1, E2 extends { readonly _tag: string }, R2>(
  context: ShopContext,
  { run, scope }: Scoped<E1, R1>,
  action: Effect.Effect<PageResult, E2, R2>
): Effect.Effect<PageResult, E1 | E2, R1 | R2> => context.may(scope) ? orShowForm(context, run, action) : action
