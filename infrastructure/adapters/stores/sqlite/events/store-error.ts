import { EventStoreError } from "../../../../../ports/event-store.ts"
import { saysDiskFull } from "../../../../platform/disk-full.ts"

/**
 * Makes the port's error from an error of SQLite or of the file system. It reads the message, because the field of
 * SQLite's error code differs between runtimes.
 */
export const storeError = (operation: string, cause: unknown): EventStoreError => {
  return new EventStoreError({ operation, reason: reasonOf(cause), cause })
}

const reasonOf = (cause: unknown): EventStoreError["reason"] => {
  if (cause instanceof SyntaxError) return "corrupt"
  if (!(cause instanceof Error)) return "unavailable"
  if (saysDiskFull(cause.message)) return "disk-full"
  return CORRUPT.test(cause.message) ? "corrupt" : "unavailable"
}

const CORRUPT = /malformed|not a database|no such (table|column)|too large to be represented|has a foreign schema/u

export const unavailable = (operation: string, message: string): EventStoreError =>
  new EventStoreError({ operation, reason: "unavailable", cause: new Error(message) })
