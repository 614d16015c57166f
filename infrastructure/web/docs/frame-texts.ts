import { type Language, loadTexts } from "../languages/languages.ts"

/** The texts around a page, by its language. */
export const frameTexts = await loadTexts(({ docs }) => docs())

export type FrameTexts = (typeof frameTexts)[Language]
