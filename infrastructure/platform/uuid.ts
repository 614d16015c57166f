import { randomUUID } from "node:crypto"

/** The beginning of the ids of one millisecond. */
let start = { millis: -1, text: "" }

const startOf = (millis: number) => {
  const time = millis.toString(16).padStart(12, "0")
  return { millis, text: `${time.slice(0, 8)}-${time.slice(8)}-7` }
}

/** A UUID v7: a time in milliseconds since 1970, then random digits (RFC 9562, section 5.7). */
export const uuidV7 = (millis = Date.now()): string => {
  if (millis !== start.millis) start = startOf(millis)
  return start.text + randomUUID().slice(15)
}
