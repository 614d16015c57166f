import { type Html, markup } from "./html.ts"

/** The languages of the pages. */
export type Language = "en" | "th"

export const isLanguage = (text: string | undefined): text is Language => text === "en" || text === "th"

export const otherLanguage = (language: Language): Language => language === "th" ? "en" : "th"

/** The preferred language of a header such as `th-TH,th;q=0.9,en;q=0.8`. */
const acceptedLanguage = (header: string): Language | undefined =>
  header.split(",").map((part) => {
    const [tag = "", weight] = part.split(";")
    return { language: tag.trim().slice(0, 2).toLowerCase(), weight: Number(weight?.split("=")[1] ?? 1) }
  }).sort((one, other) => other.weight - one.weight).map(({ language }) => language).find(isLanguage)

/** The language that was chosen (the value of a cookie), else the one that the browser prefers, else English. */
export const languageOf = (chosen: string | undefined, acceptLanguage: string | undefined): Language =>
  isLanguage(chosen) ? chosen : acceptedLanguage(acceptLanguage ?? "") ?? "en"

/** The link to a page of a site in the other language. `path` is the path and the query of the page. */
export const languageLink = (
  site: "/app" | "/console",
  { language, otherLanguage: text }: { readonly language: Language; readonly otherLanguage: string },
  path: string
): Html => {
  const other = otherLanguage(language)
  return markup`<a class="language" lang="${other}" href="${site}/language/${other}?to=${
    encodeURIComponent(path)
  }">${text}</a>`
}
