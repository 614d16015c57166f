import type { Content } from "../../infrastructure/web/pages/html.ts"
import type { Language } from "../../infrastructure/web/languages/languages.ts"
import type { SearchEntry } from "../../infrastructure/web/docs/ranking.js"
import type { FrameTexts } from "../../infrastructure/web/docs/frame-texts.ts"

/** A heading that the menu lists below its page. */
export interface PageHeading {
  readonly id: string
  readonly text: string
  /** The method of an operation, such as `post`; undefined for other headings. */
  readonly method?: string
}

/** A page of the documentation. */
export interface DocPage {
  /** Below the base of the site: "" is its start, others begin with a slash. */
  readonly path: string
  readonly title: string
  readonly language: Language
  /** The group of the menu. */
  readonly section: keyof FrameTexts["sections"]
  readonly headings: ReadonlyArray<PageHeading>
  readonly content: Content
  /** What the search finds on it. Their URLs are below the base of the site. */
  readonly entries: ReadonlyArray<SearchEntry>
}
