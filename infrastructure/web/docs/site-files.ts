/** Where the documentation of the API for callers is, and the one of the admin API. */
export const siteBases = ["/docs", "/admin/v1/docs"] as const

export type SiteBase = (typeof siteBases)[number]

/** A file of a rendered site. Its path is the path of the URL; a page is the `index.html` below its own. */
export interface SiteFile {
  readonly path: string
  readonly bytes: Uint8Array
}

/** What a template has in the place of the text in the search box, and of the results. */
export const holes = { query: "@query@", results: "<!-- results -->" } as const
