import type { JsonObject } from "../../../../application/ports/event-store.ts"

/** What an event says, from its data. */
export type Sentence = (data: JsonObject) => string

/** A value of an event as it stands in a sentence. */
export const say = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value ?? null)

/** An amount of satang in baht. */
export const baht = (satang: unknown): string =>
  typeof satang === "number"
    ? (satang / 100).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })
    : "?"
