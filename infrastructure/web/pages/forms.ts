import { Effect } from "effect"
import { bangkokDateTime, parseTimeInBangkok } from "../../../domain/time.ts"
import type { Fields } from "../input/decode.ts"
import { faultsOf } from "../input/form-faults.ts"
import type { Issue } from "../api/failures.ts"
import { fieldNameOf } from "./error-page.ts"
import { type Content, exact, type Fragment, type Html, markup, type PageOf, raw, type Redirect } from "./html.ts"

/** A form that changes something. It sends the session's form token. */
export const tokenForm = (formToken: string, action: string, content: Content): Html =>
  markup`<form method="post" action="${action}"><input type="hidden" name="csrf" value="${formToken}">${content}</form>`

/** A field of a form. */
export interface Field {
  readonly name: string
  readonly label: string
  readonly hint?: string | undefined
  /** The stored value. */
  readonly value?: string | null | undefined
  readonly isRequired?: boolean
  /** The `type` of an input; `lines` is a textarea, and `time` a date and time in Bangkok. */
  readonly kind?: "text" | "number" | "url" | "date" | "lines" | "time"
  /** The values to choose from, with their texts. The field is then a list. */
  readonly options?: ReadonlyArray<readonly [value: string, label: string]> | undefined
  /** Whether a value that is not in the list stays, so that an unchanged form changes nothing. */
  readonly keepsUnknown?: boolean
}

/** A date and time as a browser's field has it. */
export const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?$/u

/** A stored time (ISO 8601) as a date and time field holds it in Bangkok. Another text stays. */
const localTime = (value: string): string => {
  const at = value === "" ? undefined : parseTimeInBangkok(value, "first")?.at
  const local = at === undefined ? "" : bangkokDateTime(at).replace(/(?::00)?\.000$/u, "")
  return LOCAL_TIME.test(local) ? local : value
}

/** A date and time field loses a value that it cannot show, such as a year of five digits: a text field keeps it. */
const timeAttributes = (value: string): string =>
  value === "" || LOCAL_TIME.test(value) ? 'type="datetime-local" step="any"' : 'type="text"'

/** The input of a field. `attributes` are those of all inputs. */
const inputOf = (
  { keepsUnknown, kind = "text", options, ...field }: Field,
  value: string,
  id: string,
  aria: Html
): Html => {
  const attributes = markup`${aria}${raw(field.isRequired === true ? " required" : "")}`
  const named = markup`id="${id}" name="${field.name}"`
  if (options !== undefined) {
    const isUnknown = keepsUnknown === true && !options.some(([known]) => known === value)
    return markup`<select ${named}${attributes}>${
      (isUnknown ? [[value, value] as const, ...options] : options).map(([known, label]) =>
        markup`<option value="${exact(known)}"${raw(known === value ? " selected" : "")}>${label}</option>`
      )
    }</select>`
  }
  if (kind === "lines") {
    return markup`<textarea ${named} rows="3" spellcheck="false"${attributes}>
${exact(value)}</textarea>`
  }
  const shown = kind === "time" ? localTime(value) : value
  const type = kind === "time" ? timeAttributes(shown) : `type="${kind}"`
  return markup`<input ${named} ${raw(type)} value="${exact(shown)}" autocomplete="off"${attributes}>`
}

/**
 * A label with an input, its hint and the errors. `errorOf` gives the text of an error. `input` renders the input with an
 * attribute that names the error and the hint to screen readers.
 */
export const labelled = (
  { hint, id, label, name }: Pick<Field, "name" | "label" | "hint"> & { readonly id: string },
  issues: ReadonlyArray<Issue>,
  errorOf: (issue: Issue) => string,
  input: (aria: Html) => Html
): Html => {
  const errors = [...new Set(issues.filter((issue) => fieldNameOf(issue) === name).map(errorOf))]
  const isInvalid = errors.length > 0
  const describedBy = [...(isInvalid ? [`${id}-error`] : []), ...(hint === undefined ? [] : [`${id}-hint`])].join(" ")
  const aria = markup`${describedBy === "" ? undefined : markup` aria-describedby="${describedBy}"`}${
    raw(isInvalid ? ' aria-invalid="true"' : "")
  }`
  return markup`<div class="field"><label for="${id}">${label}</label>${input(aria)}${
    isInvalid ? markup`<p class="error" id="${id}-error">${errors.join(" ")}</p>` : undefined
  }${hint === undefined ? undefined : markup`<p class="hint" id="${id}-hint">${hint}</p>`}</div>`
}

/** A field with its label, hint and errors. It shows the stored value, or in a rejected form the one that was entered. */
export const fieldOf = (
  { fields, issues }: { readonly fields: Fields; readonly issues: ReadonlyArray<Issue> },
  field: Field,
  errorOf: (issue: Issue) => string
): Html => {
  const { name, value: stored } = field
  const entered = fields[name]
  const value = issues.length === 0 ? stored ?? "" : typeof entered === "string" ? entered : ""
  const id = `field-${name}`
  return labelled({ ...field, id }, issues, errorOf, (aria) => inputOf(field, value, id, aria))
}

/** The time of a date and time field as the API takes it. Any other text stays, and the decoder rejects it. */
export const timeInput = (entered: unknown): unknown => {
  if (entered === undefined) return null
  const isLocal = typeof entered === "string" && LOCAL_TIME.test(entered)
  const at = isLocal ? parseTimeInBangkok(entered, "first")?.at : undefined
  return at === undefined ? entered : `${bangkokDateTime(at).replace(/\.000$/u, "")}+07:00`
}

/** Runs a form's action. When the form was rejected, shows the form's page again with the values and the errors. */
export const orShowForm = <
  Context extends { readonly issues: ReadonlyArray<Issue> },
  Menu extends string,
  E1 extends { readonly _tag: string },
  R1,
  E2,
  R2
>(
  context: Context,
  page: (context: Context) => Effect.Effect<PageOf<Menu> | Fragment | Redirect, E2, R2>,
  action: Effect.Effect<PageOf<Menu> | Fragment | Redirect, E1, R1>
) =>
  Effect.catch(action, (failure): Effect.Effect<PageOf<Menu> | Fragment | Redirect, E1 | E2, R2> => {
    const issues = faultsOf(failure)
    return issues === undefined ? Effect.fail(failure) : Effect.map(
      page({ ...context, issues }),
      (result) => result._tag === "Page" ? { ...result, status: 400 } : result
    )
  })
