/**
 * A naive implementation of docs/spec/http.md, "Matching an account", for one account. Masks are regular expressions,
 * and every notation of a telephone number is compared.
 */

/** A number on a slip: digits, `x` for a hidden digit, hyphens and spaces anywhere. */
export interface NaiveCase {
  readonly mask: string
  readonly registered: string
  readonly isPhone: boolean
  /** Whether the slip has the account's bank, another bank, or none. */
  readonly bank: "same" | "other" | "none"
  readonly name: "same" | "other" | "none"
}

export type NaiveVerdict = "match" | "no_match" | "indeterminate"

/** The number of digits that agree. Undefined when a digit disagrees. */
const agreeingDigits = (mask: string, number: string): number | undefined => {
  const digits = mask.replaceAll(/\D/gu, "").length
  if (mask.length === number.length) {
    return new RegExp(`^${mask.replaceAll("x", "\\d")}$`, "u").test(number) ? digits : undefined
  }
  if (/^\d*$/u.test(mask)) {
    const filled = number.padStart(mask.length, "0")
    return filled.endsWith(mask) ? Math.min(digits, number.length) : undefined
  }
  const [, start = "", end = ""] = /^(\d*)x(?:.*x)?(\d*)$/u.exec(mask) ?? []
  const agrees = number.startsWith(start) && number.padStart(end.length, "0").endsWith(end)
  return agrees ? start.length + Math.min(end.length, number.length) : undefined
}

const agreeingPhoneDigits = (mask: string, number: string): number | undefined => {
  const subscriber = number.slice(-9)
  for (const prefix of ["0", "66", "0066"]) {
    if (mask.length !== prefix.length + 9) continue
    const count = agreeingDigits(mask, prefix + subscriber)
    const inPrefix = mask.slice(0, prefix.length).replaceAll("x", "").length
    return count === undefined ? undefined : count - inPrefix + Math.sign(inPrefix)
  }
  return agreeingDigits(mask, `0${subscriber}`)
}

export const naiveVerdict = ({ bank, isPhone, mask, name, registered }: NaiveCase): NaiveVerdict => {
  const digits = mask.replaceAll(/[- ]/gu, "").replaceAll(/[X*•]/gu, "x")
  const count = (isPhone ? agreeingPhoneDigits : agreeingDigits)(digits, registered)
  if (bank === "other" && !isPhone) return "no_match"
  if (count === undefined) return "no_match"
  if (count >= 4) return "match"
  return count === 3 && ((bank === "same" && !isPhone) || name === "same") ? "match" : "indeterminate"
}
