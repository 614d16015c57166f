import type { Effect } from "effect"
import type { Operator } from "../../../application/operators/require-act.ts"
import type { RequestIds } from "../../../application/events/handle-command.ts"
import type { Operation } from "../api/operation.ts"
import type { BodyOf, ParamsOf, QueryOf } from "../api/request-types.ts"
import type { DataOf, OperationName, Operations } from "./operations.ts"

/** The part of a list that a request asks for. */
export interface PageRange {
  readonly cursor: string | undefined
  readonly limit: number
}

type PageOf<Op> = Op extends { readonly isPaged: true } ? PageRange : undefined

/** A request of an operator, decoded as its operation declares. */
export interface OperatorRequest<Op extends Operation> {
  /** The `:id` of the path in lower case, as ids are stored; empty when the path has none. */
  readonly id: string
  readonly params: ParamsOf<Op>
  readonly query: QueryOf<Op>
  readonly page: PageOf<Op>
  readonly body: BodyOf<Op>
  /** The actor and the request ids of the request's events. */
  readonly ids: RequestIds
  readonly operator: Operator
  /** The origin of links to the shop's page, such as `https://slips.shop.example`. */
  readonly linkOrigin: Effect.Effect<string>
}

/**
 * Runs an operation of an operator. The admin API and the command line call it; it knows nothing of either. The admin API
 * checks that it fails only with what the operation declares.
 */
export type Handler<Name extends OperationName, E = unknown, R = unknown> = (
  request: OperatorRequest<Operations[Name]>
) => Effect.Effect<DataOf<Name>, E, R>

/** A handler for each operation of a part of the declaration. */
export type HandlersOf<Part> = { readonly [Name in keyof Part & OperationName]: Handler<Name> }
