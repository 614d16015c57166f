import { randomUUID } from "node:crypto"

/** A UUID v7: the time in milliseconds, then random digits (RFC 9562, section 5.7). */
export const uuidV7 = (): string => {
  const time = Date.now().toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}
