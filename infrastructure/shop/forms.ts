import { type Content, exact, type Html, markup, raw } from "../pages/html.ts"
import { issueText } from "./error-pages.ts"
import type { ShopContext } from "./page-context.ts"

/** A form that changes something. It sends the session's form token. */
export const actionForm = (
  { formToken }: Pick<ShopContext, "formToken">,
  action: string,
  ...content: ReadonlyArray<Content>
): Html =>
  markup`<form method="post" action="${action}"><input type="hidden" name="csrf" value="${formToken}">${content}</form>`

interface Field {
  readonly name: string
  readonly label: string
  readonly hint?: string
  /** The stored value. */
  readonly value?: string
  readonly isRequired?: boolean
  /** The `type` of an input; `lines` is a textarea. */
  readonly kind?: "text" | "number" | "url" | "date" | "lines"
}

/** The value of a field: the stored one, or in a rejected form the one that was entered. */
const valueOf = ({ fields, issues }: ShopContext, { name, value = "" }: Field): string => {
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
export const fieldView = (context: ShopContext, field: Field): Html => {
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
