import { bangkokDateTime, parseTimeInBangkok } from "../../../domain/time.ts"
import { type InputAttributes, labelledField, lineInput, linesInput, shownValue, tokenForm } from "../pages/forms.ts"
import { type Content, exact, type Html, markup, raw } from "../pages/html.ts"
import { issueText, issueView } from "./error-pages.ts"
import type { PageContext } from "./page-context.ts"

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

type Option = readonly [value: string, label: string]

interface Field {
  readonly name: string
  readonly label: string
  readonly hint?: string
  /** The stored value. */
  readonly value?: string
  readonly isRequired?: boolean
  /** The `type` of an input; `lines` is a textarea, and `time` a date and time in Bangkok. */
  readonly kind?: "text" | "number" | "url" | "lines" | "time"
  /** The values to choose from, with their texts. The field is then a list. */
  readonly options?: ReadonlyArray<Option>
}

/** A stored time (ISO 8601) as a date and time field holds it in Bangkok. Another text stays. */
const localTime = (value: string): string => {
  const at = value === "" ? undefined : parseTimeInBangkok(value, "first")?.at
  const local = at === undefined ? "" : bangkokDateTime(at).replace(/(?::00)?\.000$/u, "")
  return LOCAL_TIME.test(local) ? local : value
}

/** The value that a field shows. */
const valueOf = (context: PageContext, field: Field): string => {
  const shown = shownValue(context, field)
  return field.kind === "time" ? localTime(shown) : shown
}

/** A list. A value that is not in it stays, so that an unchanged form changes nothing. */
const selectOf = (
  options: ReadonlyArray<Option>,
  value: string,
  { aria, id, isRequired = false, name }: InputAttributes
): Html => {
  const all = options.some(([known]) => known === value) ? options : [[value, value] as const, ...options]
  return markup`<select id="${id}" name="${name}"${aria}${raw(isRequired ? " required" : "")}>${
    all.map(([known, label]) =>
      markup`<option value="${exact(known)}"${raw(known === value ? " selected" : "")}>${label}</option>`
    )
  }</select>`
}

const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?$/u

/** A date and time field loses a value that it cannot show, such as a year of five digits: a text field keeps it. */
const timeAttributes = (value: string): string =>
  value === "" || LOCAL_TIME.test(value) ? 'type="datetime-local" step="any"' : 'type="text"'

const inputOf = (attributes: InputAttributes, { kind = "text", options }: Field, value: string): Html => {
  if (options !== undefined) return selectOf(options, value, attributes)
  if (kind === "lines") return linesInput(attributes, value)
  return lineInput(attributes, kind === "time" ? timeAttributes(value) : `type="${kind}"`, value)
}

/** A field with its label, hint and error. */
export const fieldView = (context: PageContext, field: Field): Html =>
  labelledField(
    field,
    context.issues,
    (issue) => issueText(context.messages, issue),
    (attributes) => inputOf(attributes, field, valueOf(context, field))
  )

/** A banner for a rejected form, with the errors of fields that the form does not show. */
export const issuesView = ({ issues, messages }: PageContext, shown: ReadonlyArray<string>): Content => {
  if (issues.length === 0) return undefined
  const others = issues.filter(({ path }) => !shown.includes(path.split(".")[0] ?? ""))
  return markup`<div class="banner bad" role="alert"><p>${messages.errors.rejected}</p>${
    others.map((issue) => issueView(messages, issue))
  }</div>`
}

/** The time of a date and time field as the admin API takes it. Any other text stays, and the decoder rejects it. */
export const timeInput = (entered: unknown): unknown => {
  if (entered === undefined) return null
  const isLocal = typeof entered === "string" && LOCAL_TIME.test(entered)
  const at = isLocal ? parseTimeInBangkok(entered, "first")?.at : undefined
  return at === undefined ? entered : `${bangkokDateTime(at).replace(/\.000$/u, "")}+07:00`
}
