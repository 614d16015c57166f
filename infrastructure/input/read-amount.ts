import type { Fields } from "./decode.ts"
import { isFields } from "./is-fields.ts"

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

/** The number that a value stands for. A value that stands for none is kept: the decoder refuses it and names the field. */
export const asNumber = (value: unknown): unknown => typeof value === "string" ? readNumber(value) ?? value : value

/** Conditions whose amounts are numbers, also those that were written as text. */
export const withAmounts = <Conditions>(conditions: Conditions): Conditions | Fields =>
  isFields(conditions) && isFields(conditions["amount"])
    ? {
      ...conditions,
      amount: Object.fromEntries(
        Object.entries(conditions["amount"]).map(([name, value]) => [name, asNumber(value)])
      )
    }
    : conditions
