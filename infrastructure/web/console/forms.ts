import { Effect } from "effect"
import { type Field, fieldOf, tokenForm } from "../pages/forms.ts"
import { type Content, exact, type Html, markup, pageTitled, raw } from "../pages/html.ts"
import { issueText, issueView } from "./error-pages.ts"
import type { Page, PageContext } from "./page-context.ts"
import { invalid } from "../input/decode.ts"

/** A form that changes something. It sends the session's form token. Nothing when the role may not send it. */
export const actionForm = (
  { formToken, may }: PageContext,
  action: string,
  ...content: ReadonlyArray<Content>
): Content => may(action) ? tokenForm(formToken, action, content) : undefined

/** A section with forms. Nothing when the role may send none of them. */
export const actionSection = (title: string, kind: "form" | "row", forms: ReadonlyArray<Content>): Content => {
  if (forms.every((form) => form === undefined)) return undefined
  return kind === "form"
    ? markup`<section class="card form"><h2>${title}</h2>${forms}</section>`
    : markup`<section class="card"><h2>${title}</h2><div class="row">${forms}</div></section>`
}

const submit = (label: string): Html => markup`<p><button class="primary">${label}</button></p>`

/** A page with a form of its own, by default below a page that it belongs to. */
export const formPage = (
  context: PageContext,
  title: string,
  { above, action, button = title, fields, hint }: {
    readonly above?: readonly [path: string, name: string]
    readonly action: string
    readonly button?: string
    readonly fields: Content
    readonly hint?: Content
  }
): Page =>
  pageTitled(title, "services")`<h1>${title}</h1>${
    above === undefined ? undefined : markup`<p><a href="${above[0]}">${above[1]}</a></p>
`
  }<section class="card form">${hint}${actionForm(context, action, fields, submit(button))}</section>`

/** The section of a page with a form that changes what the page shows. `fields` are for the form's own context. */
export const editSection = (
  context: PageContext,
  title: string,
  action: string,
  fields: (own: PageContext) => Content
): Content =>
  actionSection(title, "form", [
    actionForm(context, action, fields(ofForm(context, action)), submit(context.messages.common.save))
  ])

/** An action behind a button that opens it. It works without a script. */
export const confirmed = (
  label: string,
  { content, isOpen = false }: { readonly content: Content; readonly isOpen?: boolean }
): Html =>
  markup`<details class="confirm"${
    raw(isOpen ? " open" : "")
  }><summary class="button">${label}</summary><div class="sheet">${content}</div></details>`

/** An action that stops or changes something for callers: a button that opens a hint and the button that does it. Nothing when the role may not do it. */
export const confirmedAction = (
  context: PageContext,
  { action, fields, hint, label }: {
    readonly action: string
    readonly label: string
    readonly hint: string
    readonly fields?: Content
  }
): Content =>
  context.may(action)
    ? confirmed(label, {
      content: [
        markup`<p>${hint}</p>`,
        actionForm(context, action, fields, markup`<button class="danger">${label}</button>`)
      ]
    })
    : undefined

/** A field with its label, hint and error. */
export const fieldView = (context: PageContext, field: Field): Html =>
  fieldOf(context, { ...field, keepsUnknown: true }, (issue) => issueText(context.messages, issue))

/** A banner for a rejected form, with the errors of fields that the form does not show. */
export const issuesView = ({ issues, messages }: PageContext, shown: ReadonlyArray<string>): Content => {
  if (issues.length === 0) return undefined
  const others = issues.filter(({ path }) => !shown.includes(path.split(".")[0] ?? ""))
  return markup`<div class="banner bad" role="alert"><p>${messages.errors.rejected}</p>${
    others.map((issue) => issueView(messages, issue))
  }</div>`
}

/** An action that cannot be undone, or that stops callers. The operator types the name of what it changes. */
interface DangerousAction {
  /** The path that the form is sent to. */
  readonly action: string
  readonly label: string
  /** What the action does. */
  readonly hint: string
  /** What the operator types. */
  readonly name: string
  /** Further fields of the form. */
  readonly fields?: Content
}

/** The field of the typed name. */
const CONFIRM = "confirm"

/** A browser shows each run of white space as one space, so an operator cannot type it otherwise. */
const comparable = (text: string): string => text.normalize("NFC").trim().replaceAll(/\s+/gu, " ")

/** The context of a form that was not sent: the errors on the page belong to another form. */
export const ofForm = (context: PageContext, action: string): PageContext =>
  context.path.toLowerCase() === action.toLowerCase() ? context : { ...context, issues: [] }

const confirmField = (context: PageContext, { action, name }: DangerousAction): Html => {
  const { danger } = context.messages
  const id = `confirm${action.replaceAll(/[^\w-]/gu, "-")}`
  const { fields, issues, messages } = ofForm(context, action)
  const issue = issues.find(({ path }) => path === CONFIRM)
  const entered = fields[CONFIRM]
  return markup`<div class="field"><label for="${id}">${danger.confirm} <code class="any">${name}</code></label><input
id="${id}" name="${CONFIRM}" value="${
    exact(issue !== undefined && typeof entered === "string" ? entered : "")
  }" required autocomplete="off" autocapitalize="off" spellcheck="false"${
    issue === undefined ? undefined : markup` aria-invalid="true" aria-describedby="${id}-error" autofocus`
  }>${
    issue === undefined
      ? undefined
      : markup`<p class="error" id="${id}-error" role="alert">${issueText(messages, issue)}</p>`
  }</div>`
}

const confirmedForm = (context: PageContext, dangerous: DangerousAction, hint: Content): Content => {
  const { action, fields, label, name } = dangerous
  return context.may(action)
    ? confirmed(label, {
      isOpen: ofForm(context, action).issues.length > 0,
      content: [
        hint,
        actionForm(
          context,
          action,
          fields,
          confirmField(context, dangerous),
          markup`<button class="danger" aria-label="${label} ${name}">${label}</button>`
        )
      ]
    })
    : undefined
}

/** A button that opens the form of a dangerous action, for a row of a table. Nothing when the role may not do it. */
export const dangerousAction = (context: PageContext, dangerous: DangerousAction): Content =>
  confirmedForm(context, dangerous, markup`<p>${dangerous.hint}</p>`)

/** The section at the end of a page with its dangerous actions. Nothing when the role may do none of them. */
export const dangerZone = (context: PageContext, actions: ReadonlyArray<DangerousAction>): Content => {
  const { danger } = context.messages
  const allowed = actions.filter(({ action }) => context.may(action))
  if (allowed.length === 0) return undefined
  return markup`<section class="card danger-zone" aria-labelledby="danger"><h2 id="danger">${danger.title}</h2><ul>${
    allowed.map((dangerous) =>
      markup`<li><div><strong>${dangerous.label}</strong><p class="hint">${dangerous.hint}</p></div>${
        confirmedForm(context, dangerous, undefined)
      }</li>`
    )
  }</ul></section>`
}

/** Fails with an error at the form when the operator has not typed the name. */
export const checkTyped = ({ fields: { [CONFIRM]: entered } }: PageContext, name: string) =>
  typeof entered === "string" && comparable(entered) === comparable(name)
    ? Effect.void
    : Effect.fail(invalid({ path: CONFIRM, message: "Expected the name as the page shows it" }))
