/** A page, section, operation or code that the search finds. */
export interface SearchEntry {
  readonly url: string
  /** Such as "Operation"; shown with the result. */
  readonly kind: string
  readonly title: string
  /** A line below the title. */
  readonly detail: string
  /** An exact name, such as the id of an operation. */
  readonly id?: string
  /** The words of title and names, as `indexed` writes them. */
  readonly names: string
  /** All other words, as `indexed` writes them. */
  readonly words: string
}

export declare const MAX_QUERY: number
export declare const indexed: (text: string) => string
export declare const search: (
  entries: ReadonlyArray<SearchEntry>,
  query: string,
  limit?: number
) => ReadonlyArray<SearchEntry>
