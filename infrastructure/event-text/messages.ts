import type { Json, JsonObject } from "../../domain/events/recorded-event.ts"

/** What an event says, from its data. */
export type Sentence = (data: JsonObject) => string

/** A value of an event as it stands in a sentence. */
export const say = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value ?? null)

/** An amount of satang in baht, as a number; undefined for what is none. */
export const inBaht = (satang: unknown): string | undefined =>
  typeof satang === "number"
    ? (satang / 100).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })
    : undefined

/** Not null, and no list. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A reason behind a sentence; nothing where none was given. */
export const because = (reason: Json | undefined): string =>
  reason === null || reason === undefined ? "" : `: ${say(reason)}`
