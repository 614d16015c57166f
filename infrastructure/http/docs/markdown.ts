import { type Content, markup } from "../html.ts"

const inline = (text: string): Content =>
  text.split(/(`[^`]+`|\*\*[^*]+\*\*)/u).map((part) => {
    if (part.startsWith("`")) return markup`<code>${part.slice(1, -1)}</code>`
    return part.startsWith("**") ? markup`<strong>${part.slice(2, -2)}</strong>` : part
  })

/** The CommonMark that our descriptions have: paragraphs, `code`, **strong**. */
export const markdown = (text: string): Content =>
  text.split("\n\n").map((paragraph) => markup`<p>${inline(paragraph)}</p>`)

/** The same of one line. */
export const markdownLine = inline
