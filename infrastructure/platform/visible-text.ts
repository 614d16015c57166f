/**
 * Emoji that fonts draw as one picture although they are joined by invisible characters: with a variation selector or a
 * joiner, keycaps, and the flags of England, Scotland and Wales.
 */
const EMOJI =
  /\p{Extended_Pictographic}[\uFE0E\uFE0F]?\p{Emoji_Modifier}?(?:\u200D\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?)*|[0-9#*]\uFE0F\u20E3/u
const FLAG =
  /\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}/u

/**
 * Control characters, marks that change the direction of text, separators that end a line, and characters without a width:
 * zero-width spaces and joiners, soft hyphens, variation selectors, tags, fillers and annotation marks. Thai needs none of
 * them.
 */
const INVISIBLE = /[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]/u

/** All of these but tabs and ends of lines. */
const INVISIBLE_IN_LINES = new RegExp(`(?![\\t\\n\\r])${INVISIBLE.source}`, "u")

/** The emoji come first, so that what they contain is not matched alone. */
const within = (invisible: RegExp): RegExp => new RegExp(`(${FLAG.source}|${EMOJI.source})|${invisible.source}`, "gu")

const IN_LINE = within(INVISIBLE)
const IN_LINES = within(INVISIBLE_IN_LINES)

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

/** Escapes each half of a pair, as JSON does. */
const escaped = (match: string, emoji: string | undefined): string =>
  emoji ?? SHORT[match]
    ?? match.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")

/**
 * Stored text on one line, with escapes such as `\u001b` for characters that could change what a terminal shows, or that
 * nothing shows. Stored text comes from callers: a name can hold the escape sequence that clears the screen, reverses an
 * account number, or looks like another name.
 */
export const visibleLine = (text: string): string => text.replaceAll(IN_LINE, escaped)

/** The same for text of several lines. In JSON, where such a character can only be in a string, the value is the same. */
export const visibleText = (text: string): string => text.replaceAll(IN_LINES, escaped)
