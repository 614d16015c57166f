/** Control characters, marks that change the direction of text, and separators that end a line. */
const INVISIBLE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/** All of these but tabs and ends of lines. */
const INVISIBLE_IN_LINES = /(?![\t\n\r])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const escaped = (character: string): string =>
  SHORT[character] ?? `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`

/**
 * Stored text on one line, with escapes such as `\u001b` for characters that could change what a terminal shows. Stored
 * text comes from callers: a name can hold the escape sequence that clears the screen, or reverses an account number.
 */
export const visibleLine = (text: string): string => text.replaceAll(INVISIBLE, escaped)

/** The same for text of several lines. In JSON, where such a character can only be in a string, the value is the same. */
export const visibleText = (text: string): string => text.replaceAll(INVISIBLE_IN_LINES, escaped)
