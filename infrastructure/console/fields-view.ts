import { type Content, type Html, markup, raw } from "../http/html.ts"
import { issueText, issueView } from "./error-pages.ts"
import type { Visit } from "./page-context.ts"

interface Field {
  readonly name: string
  readonly label: string
  readonly hint?: string
  /** What it has without what somebody typed. */
  readonly value?: string
  readonly isRequired?: boolean
  /** As in the `type` of an input; `lines` is a place for several. */
  readonly kind?: "text" | "number" | "url" | "lines"
}

/** What stands in a field: what was typed into a form that was refused, else what is. */
const valueOf = ({ fields, issues }: Visit, { name, value = "" }: Field): string => {
  const typed = fields[name]
  if (issues.length === 0) return value
  return typeof typed === "string" ? typed : ""
}

const inputOf = (field: Field, value: string, id: string, attributes: Content): Html => {
  const { isRequired = false, kind = "text", name } = field
  const required = raw(isRequired ? " required" : "")
  return kind === "lines"
    ? markup`<textarea id="${id}" name="${name}" rows="3" spellcheck="false"${attributes}${required}>
${value}</textarea>`
    : markup`<input id="${id}" name="${name}" type="${kind}" value="${value}" autocomplete="off"${attributes}${required}>`
}

/** A field with its label, its hint, and what is wrong with it. */
export const fieldView = (visit: Visit, field: Field): Html => {
  const { hint, label, name } = field
  const id = `field-${name}`
  const wrong = visit.issues.filter(({ path }) => path.split(".")[0] === name)
  const said = [...new Set(wrong.map((issue) => issueText(visit.words, issue)))].join(" ")
  const described = [...(wrong.length > 0 ? [`${id}-wrong`] : []), ...(hint === undefined ? [] : [`${id}-hint`])]
  const attributes = [
    described.length > 0 ? markup` aria-describedby="${described.join(" ")}"` : undefined,
    raw(wrong.length > 0 ? ' aria-invalid="true"' : "")
  ]
  return markup`<div class="field"><label for="${id}">${label}</label>${
    inputOf(field, valueOf(visit, field), id, attributes)
  }${wrong.length === 0 ? undefined : markup`<p class="wrong" id="${id}-wrong">${said}</p>`}${
    hint === undefined ? undefined : markup`<p class="hint" id="${id}-hint">${hint}</p>`
  }</div>`
}

/** What is wrong with a form as a whole, or with fields that it does not show. */
export const issuesView = ({ issues, words }: Visit, shown: ReadonlyArray<string>): Content => {
  if (issues.length === 0) return undefined
  const others = issues.filter(({ path }) => !shown.includes(path.split(".")[0] ?? ""))
  return markup`<div class="banner bad" role="alert"><p>${words.trouble.refused}</p>${
    others.map((issue) => issueView(words, issue))
  }</div>`
}
