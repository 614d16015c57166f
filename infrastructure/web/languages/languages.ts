import { Effect, Record, Struct } from "effect"
import { en, type LanguageFolder } from "./en/language.ts"
import { th } from "./th/language.ts"

/** The languages of the pages, by their codes (ISO 639). A further language is one more folder, named here. */
export const languages = { en, th }

export type Language = keyof typeof languages

export const languageCodes = Struct.keys(languages)

/** The language of a reader of whom no other one is known. */
export const DEFAULT_LANGUAGE: Language = "en"

export const isLanguage = (text: string | undefined): text is Language =>
  text !== undefined && Object.hasOwn(languages, text)

/** The texts of a site in each language, with the code and the locale of the language. */
export const loadTexts = <Texts extends object>(load: (folder: LanguageFolder) => Promise<Texts>) =>
  Effect.runPromise(Effect.all(Record.map(languages, (folder, language) =>
    Effect.map(
      Effect.promise(() => load(folder)),
      (texts) => ({ ...texts, language, locale: folder.locale })
    ))))
