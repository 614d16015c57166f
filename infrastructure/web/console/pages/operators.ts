import { Effect } from "effect"
import { type OperatorView, operatorViews } from "../../../../application/operators/operators.ts"
import { OperatorRole } from "../../../../domain/operators.ts"
import { type Column, type Content, listTable, markup, pageTitled, raw } from "../../pages/html.ts"
import { OperatorAccess } from "../../operators/operator-access.ts"
import type { DataOf } from "../../operators/operations.ts"
import { action, done } from "../action.ts"
import { doneBanner, secretsPage } from "../components.ts"
import { actionForm, actionSection, confirmedAction, dangerousAction, fieldView, issuesView, ofForm } from "../forms.ts"
import { timeView } from "../../pages/times.ts"
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
  const views = operatorViews(yield* operators)
  const columns: ReadonlyArray<Column<OperatorView>> = [
    [common.name, ({ name }) => markup`<strong>${name}</strong>`],
    [text.role, ({ role }) => text.roles[role]],
    [common.created, ({ addedAt }) => timeView(messages, addedAt)],
    [
      messages.sessions.title,
      ({ name: operator }) =>
        markup`<a href="/console/sessions?${
          new URLSearchParams({ operator }).toString()
        }">${messages.sessions.title}</a>${
          context.may(AUDIT_PATH)
            ? markup` · <a href="${auditPath({ operator })}">${messages.audit.title}</a>`
            : undefined
        }`
    ],
    ...(context.may(pathTo("operators", "name", "remove"))
      ? [
        [service.actions, (operator: OperatorView) =>
          markup`<div class="row">${actionsOf(context, operator)}</div>`] as const
      ]
      : [])
  ]
  return pageTitled(text.title, "operators")`<h1>${text.title}</h1><p class="lead">${text.lead}</p>${
    doneBanner(context)
  }${
    listTable(text.title, views, columns, text.none)
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
