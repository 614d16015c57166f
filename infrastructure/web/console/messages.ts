import { type Language, loadTexts } from "../languages/languages.ts"
import { messagesByRequest } from "../pages/language.ts"
import type { TimeContext } from "../pages/times.ts"

const messages = await loadTexts(({ console }) => console())

/** The texts of a language, and the time of the request for relative times. */
export type Messages = (typeof messages)[Language] & Pick<TimeContext, "now">

export const messagesIn = (language: Language): Messages => messages[language]

export const LANGUAGE_COOKIE = "sliptrail_console_language"

/** The messages for a request, without relative times. */
export const messagesFor = messagesByRequest(messages, LANGUAGE_COOKIE)
