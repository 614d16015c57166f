import { DEFAULT_LANGUAGE, isLanguage, type Language, languageCodes, languages } from "../languages/languages.ts"
import { type Html, markup } from "./html.ts"

/** The preferred language of a header such as `th-TH,th;q=0.9,en;q=0.8`. */
const acceptedLanguage = (header: string): Language | undefined =>
  header.split(",").map((part) => {
    const [tag = "", weight] = part.split(";")
    return { language: tag.trim().split("-", 1)[0]?.toLowerCase(), weight: Number(weight?.split("=")[1] ?? 1) }
  }).sort((one, other) => other.weight - one.weight).map(({ language }) => language).find(isLanguage)

/** The language that was chosen (the value of a cookie), else the one that the browser prefers, else English. */
const languageOf = (chosen: string | undefined, acceptLanguage: string | undefined): Language =>
  isLanguage(chosen) ? chosen : acceptedLanguage(acceptLanguage ?? "") ?? DEFAULT_LANGUAGE

interface LanguageRequest {
  readonly cookies: Readonly<Record<string, string | undefined>>
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** Chooses the messages for a request: in the language of the cookie, else the one that the browser prefers, else English. */
export const messagesByRequest =
  <Messages>(messages: Readonly<Record<Language, Messages>>, cookie: string) =>
  ({ cookies, headers }: LanguageRequest): Messages => messages[languageOf(cookies[cookie], headers["accept-language"])]

/** The links to a page of a site in the other languages. `path` is the path and the query of the page. */
export const languageLinks = (
  site: "/app" | "/console",
  { language }: { readonly language: Language },
  path: string
): ReadonlyArray<Html> =>
  languageCodes.filter((code) => code !== language).map((code) =>
    markup`<a class="language" lang="${code}" href="${site}/language/${code}?to=${encodeURIComponent(path)}">${
      languages[code].name
    }</a>`
  )

/** The name of a bank. A language other than Thai has the English one. */
export const bankNameIn = (
  language: Language,
  { nameEn, nameTh }: { readonly nameEn: string; readonly nameTh: string }
): string => language === "th" ? nameTh : nameEn
