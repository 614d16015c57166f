import type { LanguageFolder } from "../en/language.ts"

/** Thai. Years are of the Buddhist era. */
export const th: LanguageFolder = {
  name: "ภาษาไทย",
  locale: "th-TH",
  console: async () => (await import("./console/messages.ts")).thConsole,
  shop: async () => (await import("./shop/messages.ts")).thShop,
  docs: async () => (await import("./docs.ts")).thDocs
}
