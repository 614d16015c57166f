/** The texts around a page in English: menu, search, results and code. */
export const enDocs = {
  skip: "Skip to the content",
  sections: { Start: "Start", Guides: "Guides", Reference: "Reference" },
  documentation: "Documentation",
  menu: "Menu",
  neighbours: "Neighbouring pages",
  previous: "Previous",
  next: "Next",
  search: {
    title: "Search",
    label: "Search the documentation",
    placeholder: "Search",
    button: "Search",
    results: "Results",
    empty: "Enter a word, an operation such as verifyBank, a field or an error code.",
    none: (query: string) =>
      `Nothing matches “${query}”. Try fewer or shorter words; a result needs the beginning of a word.`,
    one: (query: string) => `1 result for “${query}”`,
    many: (count: number, query: string) => `${count} results for “${query}”`,
    best: (count: number, query: string) => `The best ${count} results for “${query}”`,
    /** What a screen reader says while the reader types. The script replaces `{count}`. */
    status: { none: "No results", one: "1 result", many: "{count} results" }
  },
  code: {
    copy: "Copy",
    copied: "Copied",
    /** What the button copies, for a screen reader. */
    copyThis: (what: string | undefined) => `Copy ${what ?? "the code"}`,
    languageOf: (request: string) => `${request}: language`
  }
}

export type DocsTexts = typeof enDocs
