import { Effect } from "effect"
import {
  addOperator,
  issueOperatorToken,
  type OperatorsFollower,
  type OperatorView,
  operatorViews,
  removeOperator,
  setOperatorRole
} from "../../../../application/operators/operators.ts"
import { OperatorRole } from "../../../../domain/operators.ts"
import { type Content, markup, raw } from "../../pages/html.ts"
import { decodeOperator, decodeRole } from "../../input/operator-account-requests.ts"
import { invalid, InvalidInput } from "../../input/decode.ts"
import { AUDIT_PATH, auditPath } from "../audit-path.ts"
import { doneBanner, secretsPage } from "../components.ts"
import { table } from "../../pages/elements.ts"
import { timeView } from "../../pages/times.ts"
import { orShowForm } from "../../pages/forms.ts"
import { dangerousAction, ifConfirmed, ofForm } from "../danger.ts"
import { actionForm, actionSection, confirmedAction, fieldView, issuesView } from "../forms.ts"
import type { Messages } from "../messages.ts"
import { type PageContext, type PageResult, pathTo, requestIdsOf } from "../page-context.ts"
import { redirect } from "../../pages/page-result.ts"

const PATH = "/console/operators"

const roleField = ({ messages: { operators } }: PageContext, id: string, selected: OperatorRole): Content =>
  markup`<label class="unseen" for="${id}">${operators.role}</label><select id="${id}" name="role">${
    OperatorRole.literals.map((role) =>
      markup`<option value="${role}"${raw(role === selected ? " selected" : "")}>${operators.roles[role]}</option>`
    )
  }</select>`

const actionsOf = (context: PageContext, { name, role }: OperatorView): ReadonlyArray<Content> => {
  const { operators } = context.messages
  const pathOf = (action: string) => pathTo("operators", name, action)
  return [
    actionForm(
      context,
      pathOf("role"),
      markup`<div class="row">${roleField(context, `role-of-${name}`, role)}<button>${operators.setRole}</button></div>`
    ),
    confirmedAction(context, {
      label: operators.newToken,
      hint: operators.newTokenHint(name),
      action: pathOf("token")
    }),
    dangerousAction(context, {
      label: operators.remove,
      hint: operators.removeHint(name),
      action: pathOf("remove"),
      name
    })
  ]
}

const rowOf = (context: PageContext, operator: OperatorView): ReadonlyArray<Content> => {
  const { messages } = context
  const { addedAt, name, role } = operator
  const actions = actionsOf(context, operator)
  return [
    markup`<strong>${name}</strong>`,
    messages.operators.roles[role],
    timeView(messages, addedAt),
    markup`<a href="/console/sessions?${
      new URLSearchParams({ operator: name }).toString()
    }">${messages.sessions.title}</a>${
      context.may(AUDIT_PATH)
        ? markup` · <a href="${auditPath({ operator: name })}">${messages.audit.title}</a>`
        : undefined
    }`,
    ...(actions.every((action) => action === undefined) ? [] : [markup`<div class="row">${actions}</div>`])
  ]
}

const addForm = (context: PageContext): Content => {
  const { operators } = context.messages
  const added = ofForm(context, PATH)
  return actionSection(operators.add, "form", [actionForm(
    context,
    PATH,
    issuesView(added, ["operatorName"]),
    fieldView(added, { name: "operatorName", label: operators.name, hint: operators.nameHint, isRequired: true }),
    markup`<div class="field">${
      roleField(context, "field-role", "support")
    }<p class="hint">${operators.rolesHint}</p></div>
<p><button class="primary">${operators.add}</button></p>`
  )])
}

/** The names of fields on the page, where the error of a name has a text of its own. */
const renamed = (names: Readonly<Record<string, string>>) => <A, E, R>(action: Effect.Effect<A, E, R>) =>
  Effect.mapError(
    action,
    (error) =>
      error instanceof InvalidInput
        ? invalid(...error.issues.map(({ message, path }) => ({ path: names[path] ?? path, message })))
        : error
  )

const done = (message: keyof Messages["done"]) => redirect(`${PATH}?done=${message}`)

const nameOf = ({ params: [name = ""] }: PageContext): string => name

const lastAdmin = () => Effect.fail(invalid({ path: "lastAdmin", message: "The operator is the last administrator" }))

/** Operators: the list, and what an administrator may change. */
export const makeOperators = (
  { hasOtherAdmin, operators }: { readonly hasOtherAdmin: boolean; readonly operators: OperatorsFollower }
) => {
  const page = Effect.fnUntraced(function* (context: PageContext) {
    const { messages } = context
    const { common, operators: text, service } = messages
    const rows = operatorViews(yield* operators).map((operator) => rowOf(context, operator))
    const mayChange = context.may(pathTo("operators", "name", "remove"))
    const headings = [
      common.name,
      text.role,
      common.created,
      messages.sessions.title,
      ...(mayChange ? [service.actions] : [])
    ]
    return {
      _tag: "Page",
      title: text.title,
      menu: "operators",
      content: markup`<h1>${text.title}</h1><p class="lead">${text.lead}</p>${doneBanner(context)}${
        rows.length === 0 ? markup`<p>${text.none}</p>` : table(text.title, headings, rows)
      }<p><a class="button" href="/console/sessions">${text.allSessions}</a></p>${addForm(context)}`
    } satisfies PageResult
  })

  const showToken = (context: PageContext, { name, role, token }: OperatorView & { readonly token: string }) => {
    const { common, operators: text } = context.messages
    return {
      ...secretsPage(context, PATH, [[common.name, name], [text.role, text.roles[role]]], { token }),
      menu: "operators"
    } as const
  }

  return {
    page,

    add: (context: PageContext) =>
      orShowForm(
        context,
        page,
        Effect.gen(function* () {
          const { operatorName: name = "", role } = context.fields
          const operator = yield* decodeOperator({ name, role })
          return showToken(context, yield* addOperator(operator, requestIdsOf(context)))
        }).pipe(
          Effect.catchTag("OperatorNameTaken", () =>
            Effect.fail(invalid({ path: "operatorTaken", message: "Another operator has this name" }))),
          renamed({ name: "operatorName" })
        )
      ),

    setRole: (context: PageContext) =>
      orShowForm(
        context,
        page,
        Effect.gen(function* () {
          const { role } = yield* decodeRole(context.fields)
          yield* setOperatorRole({ name: nameOf(context), role, hasOtherAdmin }, requestIdsOf(context))
          return done("changed")
        }).pipe(Effect.catchTag("LastAdmin", lastAdmin))
      ),

    newToken: (context: PageContext) =>
      Effect.map(issueOperatorToken(nameOf(context), requestIdsOf(context)), (issued) => showToken(context, issued)),

    remove: (context: PageContext) =>
      ifConfirmed(
        context,
        nameOf(context),
        page,
        removeOperator({ name: nameOf(context), hasOtherAdmin }, requestIdsOf(context)).pipe(
          Effect.as(done("operatorRemoved")),
          Effect.catchTag("LastAdmin", lastAdmin)
        )
      )
  }
}
