import { visibleText } from "../../platform/visible-text.ts"

/** HTML, which templates do not escape. */
export interface Html {
  readonly html: string
}

/** A value in a template: text, which is escaped; HTML; a list of values; or nothing. */
export type Content = string | number | Html | undefined | ReadonlyArray<Content>

const ESCAPED: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escape = (text: string): string => text.replaceAll(/[&<>"']/gu, (character) => ESCAPED[character] ?? character)

const isList = (content: Content): content is ReadonlyArray<Content> => Array.isArray(content)

/** Characters that a browser would not show, such as marks that reverse text, become visible. */
const render = (content: Content): string => {
  if (content === undefined) return ""
  if (isList(content)) return content.map(render).join("")
  return typeof content === "object" ? content.html : escape(visibleText(String(content)))
}

/**
 * A template of HTML, which escapes text. It is not named `html` because formatters reformat templates of that name.
 * The whitespace that they add would become content, for example in a `textarea`.
 */
export const markup = (parts: TemplateStringsArray, ...contents: ReadonlyArray<Content>): Html => ({
  html: parts.reduce((all, part, index) => all + render(contents[index - 1]) + part)
})

/** Text exactly as it is, escaped: a value that a form sends back, or that a script copies. */
export const exact = (text: string): Html => ({ html: escape(text) })

/** Marks trusted text as HTML: it is not escaped. */
export const raw = (text: string): Html => ({ html: text })
