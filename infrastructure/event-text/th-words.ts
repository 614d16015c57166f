import type { Json, JsonObject } from "../../domain/events/recorded-event.ts"
import { inBaht, isObject, say } from "./messages.ts"

/** An amount of satang in baht. */
export const baht = (satang: unknown): string => {
  const amount = inBaht(satang)
  return amount === undefined ? "ไม่ทราบจำนวน" : `${amount} บาท`
}

const passed = (one: Json): ReadonlyArray<string> =>
  isObject(one)
    ? [`${say(one["gateway"])} ไม่ได้คำตอบใน ${say(one["gatewayMillis"])} มิลลิวินาที (${say(one["why"])}), `]
    : []

/** Which bank's gateway answered and how long it took, behind those that were asked before in vain. */
export const answeredBy = ({ askedBefore, gateway, gatewayMillis }: JsonObject): string => {
  const before = Array.isArray(askedBefore) ? askedBefore.flatMap(passed).join("") : ""
  return `${before}${say(gateway)} ตอบใน ${say(gatewayMillis)} มิลลิวินาที`
}

/** The same to be put behind a sentence; nothing where no bank was asked. */
export const asked = (data: JsonObject): string => {
  const { gateway } = data
  return gateway === null || gateway === undefined ? "" : `; ${answeredBy(data)}`
}
