/**
 * English, as the pages speak it: its name in itself, its locale (a tag of BCP 47), and the texts of each site. Texts are
 * loaded when a site first needs them.
 */
export const en = {
  name: "English",
  locale: "en-GB",
  console: async () => (await import("./console/messages.ts")).enConsole,
  shop: async () => (await import("./shop/messages.ts")).enShop,
  docs: async () => (await import("./docs.ts")).enDocs
}

/** What the folder of every language exports. */
export type LanguageFolder = typeof en
