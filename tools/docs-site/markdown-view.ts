import { lexer, type MarkedToken, type Token, type Tokens } from "marked"
import { type Content, markup } from "../../infrastructure/web/pages/html.ts"
import { codeBlock, codeTabs, type CodeVariant } from "./code-view.ts"

/** A heading of a document and the prose below it, for the menu and the search. */
export interface DocumentSection {
  /** The anchor; "" before the first heading of level 2. */
  readonly id: string
  readonly heading: string
  readonly level: number
  readonly prose: string
}

export interface RenderedDocument {
  readonly title: string
  readonly content: Content
  readonly sections: ReadonlyArray<DocumentSection>
}

/** The URL for a link of the document; undefined for what the site does not serve. */
export type ResolveLink = (href: string) => string | undefined

/** The library's type has a member for tokens of extensions, which are not used. */
const known = (tokens: ReadonlyArray<Token> = []): ReadonlyArray<MarkedToken> => tokens as ReadonlyArray<MarkedToken>

/** The text of tokens without marks. Blocks of code are left out: the search is about prose. */
const proseOf = (tokens: ReadonlyArray<MarkedToken>): string =>
  tokens.map((token): string => {
    switch (token.type) {
      case "code":
        return ""
      case "list":
        return token.items.map(({ tokens }) => proseOf(known(tokens))).join(" ")
      case "table":
        return [token.header, ...token.rows].flat().map(({ tokens }) => proseOf(known(tokens))).join(" ")
      case "paragraph":
      case "heading":
      case "blockquote":
        return `${proseOf(known(token.tokens))} `
      case "text":
        return token.tokens === undefined ? token.text : proseOf(known(token.tokens))
      case "strong":
      case "em":
      case "del":
      case "link":
        return proseOf(known(token.tokens))
      default:
        return "text" in token && typeof token.text === "string" ? token.text : " "
    }
  }).join("")

/** The anchor that GitHub gives a heading, so that links of the documents work in both places. */
export const anchorOf = (heading: string): string =>
  heading.trim().toLowerCase().replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "").replaceAll(" ", "-")

/** The languages of code by the words behind the fences; those of examples have a tab with this id. */
const LANGUAGES: Readonly<Record<string, readonly [id: string, name: string]>> = {
  sh: ["curl", "curl"],
  ts: ["typescript", "TypeScript"],
  php: ["php", "PHP"],
  python: ["python", "Python"],
  go: ["go", "Go"],
  json: ["json", "JSON"]
}

const languageName = (lang = ""): string => {
  if (lang === "sh") return "Shell"
  return LANGUAGES[lang]?.[1] ?? "Text"
}

const linkView = ({ href, tokens }: Tokens.Link, resolve: ResolveLink): Content => {
  const url = resolve(href)
  const text = inline(known(tokens), resolve)
  if (url === undefined) return markup`<span title="${href}, in the repository">${text}</span>`
  return markup`<a href="${url}">${text}</a>`
}

/** Raw HTML is text: `markup` escapes it. */
const inline = (tokens: ReadonlyArray<MarkedToken>, resolve: ResolveLink): Content =>
  tokens.map((token): Content => {
    switch (token.type) {
      case "strong":
        return markup`<strong>${inline(known(token.tokens), resolve)}</strong>`
      case "em":
        return markup`<em>${inline(known(token.tokens), resolve)}</em>`
      case "codespan":
        return markup`<code>${token.text}</code>`
      case "link":
        return linkView(token, resolve)
      case "br":
        return markup`<br>`
      case "text":
        return token.tokens === undefined ? token.text : inline(known(token.tokens), resolve)
      default:
        return "text" in token && typeof token.text === "string" ? token.text : token.raw
    }
  })

const tableView = ({ header, rows }: Tokens.Table, resolve: ResolveLink): Content => {
  const label = proseOf(known(header[0]?.tokens)).trim()
  return markup`<div class="scroll" role="group" tabindex="0" aria-label="Table${
    label === "" ? "" : `: ${label}`
  }"><table><thead><tr>${
    header.map(({ text, tokens }) =>
      text === "" ? markup`<td></td>` : markup`<th scope="col">${inline(known(tokens), resolve)}</th>`
    )
  }</tr></thead><tbody>${
    rows.map((cells) =>
      markup`<tr>${cells.map(({ tokens }) => markup`<td>${inline(known(tokens), resolve)}</td>`)}</tr>`
    )
  }</tbody></table></div>`
}

const listView = ({ items, ordered, start }: Tokens.List, resolve: ResolveLink): Content => {
  const entries = items.map(({ tokens }) => markup`<li>${blocks(known(tokens), resolve)}</li>`)
  return ordered ? markup`<ol start="${Number(start)}">${entries}</ol>` : markup`<ul>${entries}</ul>`
}

const headingView = ({ depth, tokens }: Tokens.Heading, id: string, resolve: ResolveLink): Content => {
  const text = inline(known(tokens), resolve)
  if (depth === 1) return markup`<h1>${text}</h1>`
  const anchor = markup`<a class="anchor" href="#${id}" aria-hidden="true" tabindex="-1">#</a>`
  if (depth === 2) return markup`<h2 id="${id}">${text}${anchor}</h2>`
  return depth === 3 ? markup`<h3 id="${id}">${text}${anchor}</h3>` : markup`<h4 id="${id}">${text}${anchor}</h4>`
}

/** Blocks that have no heading: those of a document, of a list entry, or of a quotation. */
const blocks = (tokens: ReadonlyArray<MarkedToken>, resolve: ResolveLink): Content =>
  tokens.map((token): Content => {
    switch (token.type) {
      case "paragraph":
        return markup`<p>${inline(known(token.tokens), resolve)}</p>`
      case "text":
        return inline([token], resolve)
      case "code":
        return codeBlock(token.text, languageName(token.lang))
      case "list":
        return listView(token, resolve)
      case "table":
        return tableView(token, resolve)
      case "blockquote":
        return markup`<blockquote>${blocks(known(token.tokens), resolve)}</blockquote>`
      case "hr":
        return markup`<hr>`
      case "space":
        return undefined
      case "heading":
        return headingView(token, anchorOf(proseOf(known(token.tokens))), resolve)
      default:
        return markup`<p>${token.raw}</p>`
    }
  })

/** The file name of a paragraph that is only a link to an example, which precedes the example's code. */
const exampleName = (token: MarkedToken | undefined): string | undefined => {
  if (token?.type !== "paragraph") return undefined
  const [link, ...rest] = known(token.tokens)
  return rest.length === 0 && link?.type === "link" && link.href.startsWith("examples/") ? link.href : undefined
}

/** The examples that follow each other from `at`, each in another language, and the position behind them. */
const examplesFrom = (tokens: ReadonlyArray<MarkedToken>, at: number) => {
  const variants: Array<CodeVariant> = []
  let next = at
  while (true) {
    const name = exampleName(tokens[next])
    const code = tokens[next + 1]
    if (name === undefined || code?.type !== "code") break
    const [id, language] = LANGUAGES[code.lang ?? ""] ?? ["other", name]
    if (variants.some((variant) => variant.id === id)) break
    variants.push({ id, name: language, code: code.text, caption: name })
    next += 2
  }
  return { variants, next }
}

/** Renders a document of the repository (GitHub's Markdown). Its examples in several languages become tabs. */
export const renderDocument = (text: string, resolve: ResolveLink): RenderedDocument => {
  const tokens = known(lexer(text)).filter(({ type }) => type !== "space")
  const contents: Array<Content> = []
  const counts = new Map<string, number>()
  const sections: Array<DocumentSection & { prose: string }> = [{ id: "", heading: "", level: 1, prose: "" }]
  let title = ""
  for (let at = 0; at < tokens.length;) {
    const token = tokens[at]
    if (token === undefined) break
    const { next, variants } = examplesFrom(tokens, at)
    if (variants.length > 0) {
      contents.push(codeTabs(String(at), "Example", variants))
      at = next
      continue
    }
    if (token.type === "heading") {
      const heading = proseOf(known(token.tokens)).trim()
      const anchor = anchorOf(heading)
      const count = counts.get(anchor) ?? 0
      counts.set(anchor, count + 1)
      const id = count === 0 ? anchor : `${anchor}-${count}`
      if (token.depth === 1) title = heading
      else sections.push({ id, heading, level: token.depth, prose: "" })
      contents.push(headingView(token, id, resolve))
    } else {
      const section = sections.at(-1)
      if (section !== undefined) section.prose += `${proseOf([token])} `
      contents.push(blocks([token], resolve))
    }
    at += 1
  }
  return { title, content: contents, sections }
}
