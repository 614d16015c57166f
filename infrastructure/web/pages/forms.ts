import { Effect } from "effect"
import { faultsOf } from "../input/form-faults.ts"
import type { Issue } from "../api/failures.ts"
import { fieldNameOf } from "./error-page.ts"
import { type Content, exact, type Fragment, type Html, markup, type PageOf, raw, type Redirect } from "./html.ts"

/** A form that changes something. It sends the session's form token. */
export const tokenForm = (formToken: string, action: string, content: Content): Html =>
  markup`<form method="post" action="${action}"><input type="hidden" name="csrf" value="${formToken}">${content}</form>`

/** The value of a field: the stored one, or in a rejected form the one that was entered. */
export const shownValue = (
  { fields, issues }: { readonly fields: Readonly<Record<string, unknown>>; readonly issues: ReadonlyArray<Issue> },
  { name, value = "" }: { readonly name: string; readonly value?: string }
): string => {
  const entered = fields[name]
  if (issues.length === 0) return value
  return typeof entered === "string" ? entered : ""
}

/** The id and the attributes of the input of a field. */
export interface InputAttributes {
  readonly id: string
  readonly name: string
  readonly isRequired?: boolean
  /** Names the error and the hint to screen readers. */
  readonly aria: Html
}

const requiredIf = (isRequired: boolean | undefined): Html => raw(isRequired === true ? " required" : "")

/** An input of one line. `type` is its attribute with further ones, such as `type="text"`. */
export const lineInput = ({ aria, id, isRequired, name }: InputAttributes, type: string, value: string): Html =>
  markup`<input id="${id}" name="${name}" ${raw(type)} value="${exact(value)}" autocomplete="off"${aria}${
    requiredIf(isRequired)
  }>`

export const linesInput = ({ aria, id, isRequired, name }: InputAttributes, value: string): Html =>
  markup`<textarea id="${id}" name="${name}" rows="3" spellcheck="false"${aria}${requiredIf(isRequired)}>
${exact(value)}</textarea>`

interface LabelledField {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly isRequired?: boolean
}

/** A field with its label, hint and error. `errorOf` gives the text of an error; `input` renders the input. */
export const labelledField = (
  { hint, label, ...field }: LabelledField,
  issues: ReadonlyArray<Issue>,
  errorOf: (issue: Issue) => string,
  input: (attributes: InputAttributes) => Html
): Html => {
  const id = `field-${field.name}`
  const own = issues.filter((issue) => fieldNameOf(issue) === field.name)
  const isInvalid = own.length > 0
  const errors = [...new Set(own.map(errorOf))].join(" ")
  const describedBy = [...(isInvalid ? [`${id}-error`] : []), ...(hint === undefined ? [] : [`${id}-hint`])].join(" ")
  const aria = markup`${describedBy === "" ? undefined : markup` aria-describedby="${describedBy}"`}${
    raw(isInvalid ? ' aria-invalid="true"' : "")
  }`
  return markup`<div class="field"><label for="${id}">${label}</label>${input({ ...field, id, aria })}${
    isInvalid ? markup`<p class="error" id="${id}-error">${errors}</p>` : undefined
  }${hint === undefined ? undefined : markup`<p class="hint" id="${id}-hint">${hint}</p>`}</div>`
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
