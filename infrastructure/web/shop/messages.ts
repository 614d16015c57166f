import { type Language, loadTexts } from "../languages/languages.ts"
import { messagesByRequest } from "../pages/language.ts"

const messages = await loadTexts(({ shop }) => shop())

export type Messages = (typeof messages)[Language]

export const LANGUAGE_COOKIE = "sliptrail_shop_language"

/** The messages for a request. */
export const messagesFor = messagesByRequest(messages, LANGUAGE_COOKIE)
