import { cookieOf } from "./session.ts"
import { en, type Words } from "./messages/en.ts"
import { th } from "./messages/th.ts"

export const languages: Readonly<Record<Language, Words>> = { en, th }
export type Language = "en" | "th"

export const LANGUAGE_COOKIE = "sliptrail_console_language"

export const isLanguage = (text: string | undefined): text is Language => text === "en" || text === "th"

/** The first of our languages in a header such as `th-TH,th;q=0.9,en;q=0.8`, by its weights. */
const accepted = (header: string): Language | undefined =>
  header.split(",").map((part) => {
    const [tag = "", weight] = part.split(";")
    return { language: tag.trim().slice(0, 2).toLowerCase(), weight: Number(weight?.split("=")[1] ?? 1) }
  }).sort((one, other) => other.weight - one.weight).map(({ language }) => language).find(isLanguage)

/** What was chosen here, else what the browser asks for, else English. */
export const wordsFor = (headers: Readonly<Record<string, string | undefined>>): Words => {
  const chosen = cookieOf(headers["cookie"], LANGUAGE_COOKIE)
  return languages[isLanguage(chosen) ? chosen : accepted(headers["accept-language"] ?? "") ?? "en"]
}
