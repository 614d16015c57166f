import type { HttpServerRequest } from "effect/http"
import { en, type Messages } from "./messages/en.ts"
import { th } from "./messages/th.ts"

export type Language = "en" | "th"
const languages: Readonly<Record<Language, Messages>> = { en, th }

export const LANGUAGE_COOKIE = "sliptrail_console_language"

export const isLanguage = (text: string | undefined): text is Language => text === "en" || text === "th"

export const otherLanguage = ({ language }: Messages): Language => language === languages.th.language ? "en" : "th"

/** The preferred language of a header such as `th-TH,th;q=0.9,en;q=0.8`. */
const acceptedLanguage = (header: string): Language | undefined =>
  header.split(",").map((part) => {
    const [tag = "", weight] = part.split(";")
    return { language: tag.trim().slice(0, 2).toLowerCase(), weight: Number(weight?.split("=")[1] ?? 1) }
  }).sort((one, other) => other.weight - one.weight).map(({ language }) => language).find(isLanguage)

/** The messages in the language of the cookie, else the one that the browser prefers, else English. */
export const messagesFor = (
  { cookies, headers }: Pick<HttpServerRequest.HttpServerRequest, "cookies"> & {
    readonly headers: Readonly<Record<string, string | undefined>>
  }
): Messages => {
  const chosen = cookies[LANGUAGE_COOKIE]
  return languages[isLanguage(chosen) ? chosen : acceptedLanguage(headers["accept-language"] ?? "") ?? "en"]
}
