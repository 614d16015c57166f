import { type Content, exact, type Html, markup, raw } from "../pages/html.ts"
import type { Fields } from "../input/decode.ts"
import { issueText, issueView } from "./error-pages.ts"
import type { PageContext } from "./page-context.ts"

/** A form that changes something. It sends the session's form token. Nothing when the role may not send it. */
export const actionForm = (
  { formToken, may }: PageContext,
  action: string,
  ...content: ReadonlyArray<Content>
): Content =>
  may(action)
    ? markup`<form method="post" action="${action}"><input type="hidden" name="csrf" value="${formToken}">${content}</form>`
    : undefined

/** A section with forms. Nothing when the role may send none of them. */
export const actionSection = (title: string, kind: "form" | "row", forms: ReadonlyArray<Content>): Content => {
  if (forms.every((form) => form === undefined)) return undefined
  return kind === "form"
    ? markup`<section class="card form"><h2>${title}</h2>${forms}</section>`
    : markup`<section class="card"><h2>${title}</h2><div class="row">${forms}</div></section>`
}

/** An action behind a confirmation. It works without a script. */
export const confirmed = (label: string, ...content: ReadonlyArray<Content>): Html =>
  markup`<details class="confirm"><summary class="button">${label}</summary><div class="sheet">${content}</div></details>`

/** A dangerous action: a button that opens a hint and the button that does it. Nothing when the role may not do it. */
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
    ? confirmed(
      label,
      markup`<p>${hint}</p>`,
      actionForm(context, action, fields, markup`<button class="danger">${label}</button>`)
    )
    : undefined

interface Field {
  readonly name: string
  readonly label: string
  readonly hint?: string
  /** The stored value. */
  readonly value?: string
  readonly isRequired?: boolean
  /** The `type` of an input; `lines` is a textarea. */
  readonly kind?: "text" | "number" | "url" | "lines"
}

/** The value of a field: the stored one, or in a rejected form the one that the operator entered. */
const valueOf = ({ fields, issues }: PageContext, { name, value = "" }: Field): string => {
  const entered = fields[name]
  if (issues.length === 0) return value
  return typeof entered === "string" ? entered : ""
}

const inputOf = ({ isRequired = false, kind = "text", name }: Field, value: string, id: string, aria: Html): Html => {
  const required = raw(isRequired ? " required" : "")
  return kind === "lines"
    ? markup`<textarea id="${id}" name="${name}" rows="3" spellcheck="false"${aria}${required}>
${exact(value)}</textarea>`
    : markup`<input id="${id}" name="${name}" type="${kind}" value="${
      exact(value)
    }" autocomplete="off"${aria}${required}>`
}

/** A field with its label, hint and error. */
export const fieldView = (context: PageContext, field: Field): Html => {
  const { hint, label, name } = field
  const id = `field-${name}`
  const issues = context.issues.filter(({ path }) => path.split(".")[0] === name)
  const isInvalid = issues.length > 0
  const errors = [...new Set(issues.map((issue) => issueText(context.messages, issue)))].join(" ")
  const describedBy = [...(isInvalid ? [`${id}-error`] : []), ...(hint === undefined ? [] : [`${id}-hint`])].join(" ")
  const aria = markup`${describedBy === "" ? undefined : markup` aria-describedby="${describedBy}"`}${
    raw(isInvalid ? ' aria-invalid="true"' : "")
  }`
  return markup`<div class="field"><label for="${id}">${label}</label>${
    inputOf(field, valueOf(context, field), id, aria)
  }${isInvalid ? markup`<p class="error" id="${id}-error">${errors}</p>` : undefined}${
    hint === undefined ? undefined : markup`<p class="hint" id="${id}-hint">${hint}</p>`
  }</div>`
}

/** A banner for a rejected form, with the errors of fields that the form does not show. */
export const issuesView = ({ issues, messages }: PageContext, shown: ReadonlyArray<string>): Content => {
  if (issues.length === 0) return undefined
  const others = issues.filter(({ path }) => !shown.includes(path.split(".")[0] ?? ""))
  return markup`<div class="banner bad" role="alert"><p>${messages.errors.rejected}</p>${
    others.map((issue) => issueView(messages, issue))
  }</div>`
}

/** The quota field of a service and of a branch. */
export const quotaField = (context: PageContext, quota: number | null | undefined): Html => {
  const { services } = context.messages
  const { quota: label, quotaHint: hint } = services
  return fieldView(context, { name: "quota", label, hint, value: quota?.toString() ?? "", kind: "number" })
}

/** A form's quota as the admin API takes it. Empty means unlimited; text stays text, and the decoder rejects it. */
export const quotaInput = ({ quota }: Fields): unknown => {
  if (quota === undefined) return null
  return typeof quota === "string" && /^\d+$/u.test(quota.trim()) ? Number(quota) : quota
}
