import { readNumber } from "../api/read-number.ts"
import type { Fields } from "./decode.ts"
import { isFields } from "./is-fields.ts"

// Runs in the body thread too: it loads no Effect.

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
