/** Text that is HTML already. */
export interface Html {
  readonly html: string
}

/** What may stand in a template: text, which is escaped, HTML, several of both, or nothing. */
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
 * HTML with what is put in escaped. Its name is not `html`: formatters lay out templates of that name anew, and the
 * whitespace that they add would be content, such as the text of a `textarea`.
 */
export const markup = (parts: TemplateStringsArray, ...contents: ReadonlyArray<Content>): Html => ({
  html: parts.reduce((all, part, index) => all + render(contents[index - 1]) + part)
})

/** Trusted HTML: it is not escaped. */
export const raw = (text: string): Html => ({ html: text })
