import { labelledField, lineInput, linesInput, shownValue, tokenForm } from "../pages/forms.ts"
import type { Content, Html } from "../pages/html.ts"
import { issueText } from "./error-pages.ts"
import type { ShopContext } from "./page-context.ts"

/** A form that changes something. It sends the session's form token. */
export const actionForm = (
  { formToken }: Pick<ShopContext, "formToken">,
  action: string,
  ...content: ReadonlyArray<Content>
): Html => tokenForm(formToken, action, content)

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

/** A field with its label, hint and error. */
export const fieldView = (context: ShopContext, field: Field): Html =>
  labelledField(field, context.issues, (issue) => issueText(context.messages, issue), (attributes) => {
    const value = shownValue(context, field)
    const { kind = "text" } = field
    return kind === "lines" ? linesInput(attributes, value) : lineInput(attributes, `type="${kind}"`, value)
  })
