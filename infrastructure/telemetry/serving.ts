import { Context, type Effect } from "effect"
import type { Headers } from "effect/http"

/** A request that is answered. */
export interface Served {
  readonly method: string
  /** With the names of its parameters instead of their values. */
  readonly route: string
  readonly requestId: string
  readonly headers: Headers.Headers
}

/** Answers a request in its trace. */
export type Serve = (
  served: Served
) => <A extends { readonly status: number }, E, R>(answer: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** How requests are traced; undefined where nobody watches. */
export const Serving = Context.Reference<Serve | undefined>("sliptrail/observability/Serving", {
  defaultValue: () => undefined
})
