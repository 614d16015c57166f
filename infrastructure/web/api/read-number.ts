// Runs in the body thread too: it loads no Effect.

const DECIMAL = /^-?\d+(\.\d+)?$/u

/**
 * The number that a text of a request stands for (docs/spec/http.md, "Amounts"): ASCII digits with a decimal point. White
 * space around it is ignored. Undefined for separators, an exponent, and digits of other scripts.
 */
export const readNumber = (text: string): number | undefined => {
  const trimmed = text.trim()
  const number = DECIMAL.test(trimmed) ? Number(trimmed) : Infinity
  return Number.isFinite(number) ? number : undefined
}
