/** How many visible digits of a number on a slip agree with an account's number, and how many do not. */
export interface DigitEvidence {
  readonly agreeing: number
  readonly disagreeing: number
}

/**
 * A number as a slip shows it, ready to be compared: a visible digit stands for itself and `x` for a hidden one, and
 * nothing else is left. Of a text that holds more than these, what is behind the last stranger counts.
 */
export const placesOf = (text: string): string => {
  const places = text.replaceAll(/[\s\p{Cf}\p{Pd}+]/gu, "").replaceAll(/[X*•]/gu, "x")
  return /[0-9x]*$/u.exec(places)?.[0] ?? ""
}

const tally = (places: string, digits: string): DigitEvidence => {
  const visible = Array.from(places, (place, at) => place === "x" ? [] : [place === digits[at]]).flat()
  const agreeing = visible.filter((agrees) => agrees).length
  return { agreeing, disagreeing: visible.length - agreeing }
}

/** Compares the end of a number. Of what is longer than the other, zeros in front are filling, other digits are not. */
const tallyEnd = (run: string, digits: string): DigitEvidence => {
  const excess = Math.max(0, run.length - digits.length)
  const { agreeing, disagreeing } = tally(run.slice(excess), digits.slice(-run.length))
  return { agreeing, disagreeing: disagreeing + run.slice(0, excess).replaceAll("0", "").length }
}

const sum = (one: DigitEvidence, other: DigitEvidence): DigitEvidence => ({
  agreeing: one.agreeing + other.agreeing,
  disagreeing: one.disagreeing + other.disagreeing
})

/**
 * Compares places with the digits of an account's number: at equal length each with its like, otherwise the visible
 * ones with which they start and end, for only of these it is known where they belong (docs/spec/http.md, "Matching an
 * account").
 */
export const compareNumbers = (places: string, digits: string): DigitEvidence => {
  if (places.length === digits.length) return tally(places, digits)
  const start = places.indexOf("x")
  if (start === -1) return tallyEnd(places, digits)
  return sum(tally(places.slice(0, start), digits), tallyEnd(places.slice(places.lastIndexOf("x") + 1), digits))
}

/** How a telephone number may begin before its nine digits, the national way first. */
const PHONE_PREFIXES = ["0", "66", "0066", ""]

/**
 * The same for telephone numbers, of which 0XXXXXXXXX, 66XXXXXXXXX and 0066XXXXXXXXX are one. However a number begins
 * there, that is one digit of evidence at most: every number begins so.
 */
export const comparePhones = (places: string, digits: string): DigitEvidence => {
  const subscriber = /^(?:0066|66|0|)(\d{9})$/u.exec(digits)?.[1]
  if (subscriber === undefined) return compareNumbers(places, digits)
  const prefix = PHONE_PREFIXES.find(({ length }) => length + subscriber.length === places.length)
  if (prefix === undefined) return compareNumbers(places, `0${subscriber}`)
  const { agreeing, disagreeing } = tally(places.slice(0, prefix.length), prefix)
  return sum({ agreeing: Math.min(agreeing, 1), disagreeing }, tally(places.slice(prefix.length), subscriber))
}
