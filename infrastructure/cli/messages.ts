/** Text on one line that does nothing to a terminal, whoever wrote it. */
export const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, " ")
