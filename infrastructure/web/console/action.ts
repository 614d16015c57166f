import { Effect } from "effect"
import type { Act } from "../../../domain/permissions.ts"
import { publicOrigin } from "../http/server/public-url.ts"
import { type Fields, renamed } from "../input/decode.ts"
import { decodeRequest } from "../operators/decode.ts"
import type { Handler, OperatorRequest } from "../operators/handler.ts"
import { type ChangeName, handlers } from "../operators/handlers.ts"
import { type DataOf, type Operations, operations } from "../operators/operations.ts"
import { orShowForm } from "../pages/forms.ts"
import { redirect } from "../pages/html.ts"
import { checkTyped } from "./forms.ts"
import type { Messages } from "./messages.ts"
import { type Allowed, type Answer, idOf, type PageContext, type PageResult, requestIdsOf } from "./page-context.ts"

interface Form {
  /** The page with the form, which is shown again with the errors. */
  readonly page?: Allowed["run"]
  /** What the operator types before the action runs. */
  readonly typed?: (context: PageContext) => Answer<string>
}

/** The action of a form. */
export const formAction = (act: Act, run: Allowed["run"], { page, typed }: Form = {}): Allowed => ({
  act,
  run: (context) => {
    const typedFirst = typed === undefined
      ? run(context)
      : Effect.andThen(Effect.flatMap(typed(context), (name) => checkTyped(context, name)), run(context))
    return page === undefined ? typedFirst : orShowForm(context, page, typedFirst)
  }
})

/** Erasing fails with what only its page explains. */
type Name = Exclude<ChangeName, "eraseSlip">

const handlerOf: { readonly [One in Name]: Handler<One, Effect.Error<Answer>, Effect.Services<Answer>> } = handlers

interface OperationForm<One extends Name> extends Form {
  /** The body of the request; the fields of the form by default. */
  readonly body?: (fields: Fields) => Fields
  /** The field of the form for one of the request; it has the same name by default. */
  readonly fieldOf?: (path: string) => string
  /** The id of the request; that in the path of the form by default. */
  readonly id?: (context: PageContext) => Answer<string>
  readonly show: (context: PageContext, data: DataOf<One>) => PageResult
}

/** The action of a form that stands for an operation of the admin API: decoder, handler and act are those of the operation. */
export const action = <One extends Name>(
  name: One,
  { body, fieldOf = (path) => path, id = (context) => Effect.succeed(idOf(context)), show, ...form }: OperationForm<One>
): Allowed =>
  formAction(
    name,
    Effect.fnUntraced(function* (context) {
      const { exchange, fields, operator, params } = context
      const names = operations[name].path.split("/").filter((part) => part.startsWith(":"))
      const request = {
        ...yield* Effect.mapError(
          decodeRequest({ name, body: body?.(fields) ?? fields }),
          (rejected) => renamed(rejected, fieldOf)
        ),
        id: yield* id(context),
        params: Object.fromEntries(names.map((part, index) => [part.slice(1), params[index] ?? ""])),
        page: undefined,
        ids: requestIdsOf(context),
        operator,
        linkOrigin: publicOrigin(exchange)
      }
      // The declaration gives the type.
      return show(context, yield* handlerOf[name](request as OperatorRequest<Operations[One]>))
    }),
    form
  )

/** Leads to the page of the form, or to another one, with the result. */
export const done =
  (message: keyof Messages["done"], path = ({ pagePath }: PageContext): string => pagePath) =>
  (context: PageContext): PageResult => redirect(`${path(context)}?done=${message}`)
