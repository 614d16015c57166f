import type { RecordedEvent } from "./recorded-event.ts"

/**
 * The names of the records that sealed values are bound to (docs/spec/events.md, "Sealed values"). A record is a stream, or
 * one of several things in it. The names are part of what the vault authenticates: never change one.
 */

// No id and no name of a stream of this service contains it.
const SEPARATOR = "\u0000"

/** A verification or a note, by its id, in a stream that may have several. */
export const recordIn = (stream: string, id: string): string => `${stream}${SEPARATOR}${id}`

/** A bank account in any stream of its service: it keeps its sealed fields when it moves to another number. */
export const recordOfBankAccount = (serviceId: string, accountId: string): string =>
  recordIn(`bankAccount-${serviceId}`, accountId)

/** The record that the sealed values of an event belong to. The stream is that in which the event was found. */
export const recordOf = ({ data, stream }: Pick<RecordedEvent, "data" | "stream">): string => {
  if (stream.startsWith("bankAccount-")) {
    const { accountId } = data
    return typeof accountId === "string" ? recordIn(stream.slice(0, stream.lastIndexOf("-")), accountId) : stream
  }
  const id = data["noteId"] ?? data["verificationId"]
  return typeof id === "string" ? recordIn(stream, id) : stream
}
