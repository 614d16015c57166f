import type { Fields } from "../../input/decode.ts"

// Runs in the body thread too: it loads no Effect.

/** The fields whose values count as given. */
export const givenFields = (fields: Fields, isGiven: (value: unknown) => boolean): Fields =>
  Object.values(fields).every(isGiven)
    ? fields
    : Object.fromEntries(Object.entries(fields).filter(([, value]) => isGiven(value)))

/** The fields of JSON in a POST. An empty text counts as absent, as an empty field of a form does. */
export const withoutEmptyTexts = (fields: Fields): Fields => givenFields(fields, (value) => value !== "")
