import { EventStoreError } from "../../../../ports/event-store.ts"

/**
 * What SQLite or the file system said, as the port's error. SQLite's code is not the same field on every runtime,
 * its text is.
 */
export const storeError = (operation: string, cause: unknown): EventStoreError => {
  const isCorrupt = cause instanceof SyntaxError
    || (cause instanceof Error
      && /malformed|not a database|no such (table|column)|too large to be represented/u.test(cause.message))
  return new EventStoreError({ operation, reason: isCorrupt ? "corrupt" : "unavailable", cause })
}

export const unavailable = (operation: string, message: string): EventStoreError =>
  new EventStoreError({ operation, reason: "unavailable", cause: new Error(message) })
