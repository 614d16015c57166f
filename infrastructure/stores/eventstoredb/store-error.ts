import { Buffer } from "node:buffer"
import { status } from "@grpc/grpc-js"
import { EventStoreError } from "../../../ports/event-store.ts"
import type { ConnectionSettings } from "./connection-string.ts"

export type ToStoreError = (operation: string, cause: unknown) => EventStoreError

/**
 * What the server or the way to it said, as the port's error. The cause is a new error with a text of which secrets
 * are cut out: errors of gRPC carry whole headers, and texts come from anywhere.
 */
export const makeToStoreError = (settings: ConnectionSettings, text: string): ToStoreError => {
  const secrets = secretsOf(settings, text)
  return (operation, cause) => {
    if (cause instanceof EventStoreError) return cause
    const code = codeOf(cause)
    const said = cause instanceof Error ? cause.message : String(cause)
    const message = secrets.reduce((shown, secret) => shown.replaceAll(secret, "<redacted>"), said)
    return new EventStoreError({
      operation,
      reason: reasonOf(code, cause),
      cause: new Error(code === undefined ? message : `${meaningOf(code)}${message}`)
    })
  }
}

/** What stands in the log and can't be read as one of our events. */
export class UnreadableEvent extends Error {}

const reasonOf = (code: number | undefined, cause: unknown): EventStoreError["reason"] => {
  if (cause instanceof UnreadableEvent) return "corrupt"
  // All three leave open whether the server did it: it or somebody on the way gave up waiting.
  const isTimeout = code === status.DEADLINE_EXCEEDED || code === status.ABORTED || code === status.CANCELLED
  return isTimeout ? "timeout" : "unavailable"
}

/** Refused credentials are mended by people, so they are told what to look at. */
const meaningOf = (code: number): string => {
  if (code === status.UNAUTHENTICATED) return "the server refused the user or password of the connection string: "
  if (code === status.PERMISSION_DENIED) return "the user may not do this; it must read $all and write streams: "
  return ""
}

export const codeOf = (cause: unknown): number | undefined =>
  cause instanceof Error && "code" in cause && typeof cause.code === "number" ? cause.code : undefined

const secretsOf = ({ credentials }: ConnectionSettings, text: string): ReadonlyArray<string> => {
  if (credentials === undefined) return [text]
  const { password, username } = credentials
  const encoded = encodeURIComponent(password)
  const header = Buffer.from(`${username}:${password}`).toString("base64")
  return [text, header, encoded, password].filter((secret) => secret !== "")
}
