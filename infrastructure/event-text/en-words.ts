import type { Json, JsonObject } from "../../domain/events/recorded-event.ts"
import { inBaht, isObject, say } from "./messages.ts"

/** An amount of satang in baht. */
export const baht = (satang: unknown): string => {
  const amount = inBaht(satang)
  return amount === undefined ? "an unknown amount" : `${amount} baht`
}

const passed = (one: Json): ReadonlyArray<string> =>
  isObject(one)
    ? [`${say(one["gateway"])} gave no answer in ${say(one["gatewayMillis"])} ms (${say(one["why"])}), `]
    : []

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
