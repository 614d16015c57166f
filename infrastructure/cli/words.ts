import type { Json, JsonObject } from "../../application/ports/event-store.ts"

/** An amount of satang in baht. */
export const baht = (satang: unknown): string =>
  typeof satang === "number"
    ? `${(satang / 100).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })} baht`
    : "an unknown amount"

/** A value of an event as it stands in a sentence. */
export const say = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value ?? null)

/** Text on one line that does nothing to a terminal, whoever wrote it. */
export const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, " ")

/** Not null, and no list. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const passed = (one: Json): ReadonlyArray<string> =>
  isObject(one) ? [`${say(one["gateway"])} gave no answer in ${say(one["gatewayMillis"])} ms (${say(one["why"])}), `] : []

/** Which bank's gateway answered and how long it took, behind those that were asked before in vain. */
export const answeredBy = ({ askedBefore, gateway, gatewayMillis }: JsonObject): string => {
  const before = Array.isArray(askedBefore) ? askedBefore.flatMap(passed).join("") : ""
  return `${before}${say(gateway)} answered in ${say(gatewayMillis)} ms`
}

/** The same to be put behind a sentence; nothing where no bank was asked. */
export const asked = (data: JsonObject): string => {
  const { gateway } = data
  return gateway === null || gateway === undefined ? "" : `; ${answeredBy(data)}`
}
