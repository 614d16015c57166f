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

const render = (content: Content): string => {
  if (content === undefined) return ""
  if (isList(content)) return content.map(render).join("")
  return typeof content === "object" ? content.html : escape(String(content))
}

/**
 * A template of HTML, which escapes text. It is not named `html` because formatters reformat templates of that name.
 * The whitespace that they add would become content, for example in a `textarea`.
 */
export const markup = (parts: TemplateStringsArray, ...contents: ReadonlyArray<Content>): Html => ({
  html: parts.reduce((all, part, index) => all + render(contents[index - 1]) + part)
})

/** Marks trusted text as HTML: it is not escaped. */
export const raw = (text: string): Html => ({ html: text })
