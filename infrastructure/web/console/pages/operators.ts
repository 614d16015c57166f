import { Effect } from "effect"
import { type OperatorView, operatorViews } from "../../../../application/operators/operators.ts"
import { OperatorRole } from "../../../../domain/operators.ts"
import { type Content, markup, pageTitled, raw, table } from "../../pages/html.ts"
import { OperatorAccess } from "../../operators/operator-access.ts"
import type { DataOf } from "../../operators/operations.ts"
import { action, done } from "../action.ts"
import { doneBanner, secretsPage } from "../components.ts"
import { timeView } from "../../pages/times.ts"
import { actionForm, actionSection, confirmedAction, dangerousAction, fieldView, issuesView, ofForm } from "../forms.ts"
import { AUDIT_PATH, auditPath, type PageContext, type PageResult, pathTo } from "../page-context.ts"

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

const nameOf = ({ params: [name = ""] }: PageContext): string => name

/** Operators: the list, and what an administrator may change. */
export const operatorsPage = Effect.fnUntraced(function* (context: PageContext) {
  const { messages } = context
  const { common, operators: text, service } = messages
  const { operators } = yield* OperatorAccess
  const rows = operatorViews(yield* operators).map((operator) => rowOf(context, operator))
  const mayChange = context.may(pathTo("operators", "name", "remove"))
  const headings = [
    common.name,
    text.role,
    common.created,
    messages.sessions.title,
    ...(mayChange ? [service.actions] : [])
  ]
  return pageTitled(text.title, "operators")`<h1>${text.title}</h1><p class="lead">${text.lead}</p>${
    doneBanner(context)
  }${
    rows.length === 0 ? markup`<p>${text.none}</p>` : table(text.title, headings, rows)
  }<p><a class="button" href="/console/sessions">${text.allSessions}</a></p>${addForm(context)}`
})

const showToken = (context: PageContext, { name, role, token }: DataOf<"issueOperatorToken">): PageResult => {
  const { common, operators: text } = context.messages
  return {
    ...secretsPage(context, PATH, [[common.name, name], [text.role, text.roles[role]]], { token }),
    menu: "operators"
  }
}

export const operatorActions = {
  "operators": action("addOperator", {
    page: operatorsPage,
    body: ({ operatorName: name = "", role }) => ({ name, role }),
    // The error of an operator's name has a text of its own.
    fieldOf: (path) => path === "name" ? "operatorName" : path,
    show: showToken
  }),
  "operators/:/role": action("setOperatorRole", { page: operatorsPage, show: done("changed") }),
  "operators/:/token": action("issueOperatorToken", { show: showToken }),
  "operators/:/remove": action("removeOperator", {
    page: operatorsPage,
    typed: (context) => Effect.succeed(nameOf(context)),
    show: done("operatorRemoved")
  })
}
