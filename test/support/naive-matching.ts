/**
 * What comes of comparing one account, told once more from docs/spec/http.md, "Matching an account" with the plainest
 * means: masks as regular expressions, and for telephone numbers all of their spellings written out.
 */

/** A number on a slip: digits, `x` for a hidden one, hyphens and spaces anywhere. */
export interface NaiveCase {
  readonly mask: string
  readonly registered: string
  readonly isPhone: boolean
  /** Whether the slip has the account's bank, another bank, or none. */
  readonly bank: "same" | "other" | "none"
  readonly name: "same" | "other" | "none"
}

export type NaiveVerdict = "match" | "no_match" | "indeterminate"

/** How many digits agree; undefined when one does not. */
const agreeing = (mask: string, number: string): number | undefined => {
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

const phoneAgreeing = (mask: string, number: string): number | undefined => {
  const subscriber = number.slice(-9)
  for (const prefix of ["0", "66", "0066"]) {
    if (mask.length !== prefix.length + 9) continue
    const count = agreeing(mask, prefix + subscriber)
    const inPrefix = mask.slice(0, prefix.length).replaceAll("x", "").length
    return count === undefined ? undefined : count - inPrefix + Math.sign(inPrefix)
  }
  return agreeing(mask, `0${subscriber}`)
}

export const naiveVerdict = ({ bank, isPhone, mask, name, registered }: NaiveCase): NaiveVerdict => {
  const places = mask.replaceAll(/[- ]/gu, "").replaceAll(/[X*•]/gu, "x")
  const count = (isPhone ? phoneAgreeing : agreeing)(places, registered)
  if (bank === "other" && !isPhone) return "no_match"
  if (count === undefined) return "no_match"
  if (count >= 4) return "match"
  return count === 3 && ((bank === "same" && !isPhone) || name === "same") ? "match" : "indeterminate"
}
