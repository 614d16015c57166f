import { EventStoreError } from "../../../../ports/event-store.ts"

/**
 * Makes the port's error from an error of SQLite or of the file system. It reads the message, because the field of
 * SQLite's error code differs between runtimes.
 */
export const storeError = (operation: string, cause: unknown): EventStoreError => {
  const isCorrupt = cause instanceof SyntaxError
    || (cause instanceof Error
      && /malformed|not a database|no such (table|column)|too large to be represented/u.test(cause.message))
  return new EventStoreError({ operation, reason: isCorrupt ? "corrupt" : "unavailable", cause })
}

export const unavailable = (operation: string, message: string): EventStoreError =>
  new EventStoreError({ operation, reason: "unavailable", cause: new Error(message) })
