import { Option, Schema } from "effect"
import { keyIdOf } from "../../../domain/api-key.ts"
import { endCodeOf } from "../../../domain/failed-verification.ts"
import { bangkokTime } from "../../../domain/time.ts"
import { Acceptance } from "../../../domain/slip/conditions.ts"
import type { Json, JsonObject, RecordedEvent } from "../../../domain/events/recorded-event.ts"

/** The sentence that describes an event, from the event's data. */
export type EventText = (data: JsonObject) => string

/** An event as one sentence; for an event type without a text, such as one of a later version, the name of the type. */
export const eventText = (
  texts: Readonly<Record<string, EventText>>,
  { data, type }: Pick<RecordedEvent, "data" | "type">
): string => Object.hasOwn(texts, type) ? texts[type]?.(data) ?? type : type

/** A field of an event as it appears in a sentence. */
export const text = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value ?? null)

/** A time of an event, which is in UTC, with the offset of Bangkok. */
export const timeText = (value: unknown): string => {
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? text(value) : bangkokTime(at)
}

/** The id of an API key, from its digest. */
export const keyText = (keyDigest: Json | undefined): string =>
  typeof keyDigest === "string" ? keyIdOf(keyDigest) : text(keyDigest)

/** An amount of satang as a number of baht; undefined when it is not a number. */
export const inBaht = (satang: unknown): string | undefined =>
  typeof satang === "number"
    ? (satang / 100).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })
    : undefined

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** An optional reason, to append to a sentence. */
export const reasonSuffix = (reason: Json | undefined): string =>
  reason === null || reason === undefined ? "" : `: ${text(reason)}`

const decodeAcceptance = Schema.decodeUnknownOption(Acceptance)

/** The verdict of a verification on its conditions; undefined without conditions. */
export const acceptanceOf = ({ acceptance }: JsonObject): Acceptance | undefined =>
  Option.getOrUndefined(decodeAcceptance(acceptance))

/** The gateways that were tried before the one that answered. */
export const earlierGateways = ({ askedBefore }: JsonObject): ReadonlyArray<JsonObject> =>
  Array.isArray(askedBefore) ? askedBefore.filter(isObject) : []

/** The code of the answer of a failed verification. */
export const endCodeText = ({ code, severalSlips, wrongKind }: JsonObject): string =>
  text(endCodeOf({ code, severalSlips, wrongKind }))
