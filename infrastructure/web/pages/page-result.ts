import { type Content, type Html, markup } from "./html.ts"

/** A whole page. `Menu` names the entries of the menu. */
export interface PageOf<Menu extends string> {
  readonly _tag: "Page"
  readonly title: string
  readonly content: Html
  /** The menu entry that the page belongs to. */
  readonly menu?: Menu | undefined
  /** 200 by default. */
  readonly status?: number
}

/** A page whose content is the template that follows. */
export const pageTitled =
  <Menu extends string = never>(title: string, menu?: Menu) =>
  (parts: TemplateStringsArray, ...contents: ReadonlyArray<Content>): PageOf<Menu> => ({
    _tag: "Page",
    title,
    menu,
    content: markup(parts, ...contents)
  })

/** A part of a page that a script inserts. */
export interface Fragment {
  readonly _tag: "Fragment"
  readonly content: Html
}

/** A redirect to another page. */
export interface Redirect {
  readonly _tag: "Redirect"
  readonly path: string
}

export const redirect = (path: string): Redirect => ({ _tag: "Redirect", path })
