import { Buffer } from "node:buffer"
import { status } from "@grpc/grpc-js"
import { EventStoreError } from "../../../../ports/event-store.ts"
import type { ConnectionSettings } from "./connection-string.ts"

export type ToStoreError = (operation: string, cause: unknown) => EventStoreError

/**
 * Makes the port's error from an error of the server or of the connection. The cause is a new error whose message shows
 * no secrets: gRPC errors carry whole headers, and their messages may quote anything.
 */
export const makeToStoreError = (settings: ConnectionSettings, text: string): ToStoreError => {
  const secrets = secretsOf(settings, text)
  return (operation, cause) => {
    if (cause instanceof EventStoreError) return cause
    const code = codeOf(cause)
    const raw = cause instanceof Error ? cause.message : String(cause)
    const message = secrets.reduce((shown, secret) => shown.replaceAll(secret, "<redacted>"), raw)
    return new EventStoreError({
      operation,
      reason: reasonOf(code, cause),
      cause: new Error(code === undefined ? message : `${meaningOf(operation, code, settings)}${message}`)
    })
  }
}

/** An event in the log that can't be read as an event of this service, or events that are missing. */
export class UnreadableEvent extends Error {}

const reasonOf = (code: number | undefined, cause: unknown): EventStoreError["reason"] => {
  // The server answers so for a stream that was deleted for ever.
  if (cause instanceof UnreadableEvent || code === status.FAILED_PRECONDITION) return "corrupt"
  // After each of these codes the outcome is unknown: the server or a proxy stopped waiting.
  const isTimeout = code === status.DEADLINE_EXCEEDED || code === status.ABORTED || code === status.CANCELLED
  return isTimeout ? "timeout" : "unavailable"
}

/** A hint for operators, who must correct refused credentials. */
const meaningOf = (operation: string, code: number, { credentials }: ConnectionSettings): string => {
  if (code === status.UNAUTHENTICATED) {
    return credentials === undefined
      ? "the server requires a user, and the connection string names none: "
      : "the server refused the user or password of the connection string: "
  }
  if (code !== status.PERMISSION_DENIED) return ""
  if (operation === "append" || operation === "open-append") {
    return "the user may not append: $userStreamAcl in the stream $settings must let it write ($w): "
  }
  const acl = JSON.stringify({ acl: { readRoles: ["$admins", credentials?.username ?? "…"] } })
  return `the user may not do this: it needs no group, and the metadata of the stream $all must be ${acl}: `
}

/** Whether the user lacks a right. */
export const isDenied = (cause: unknown): boolean => codeOf(cause) === status.PERMISSION_DENIED

export const codeOf = (cause: unknown): number | undefined =>
  cause instanceof Error && "code" in cause && typeof cause.code === "number" ? cause.code : undefined

const secretsOf = ({ credentials }: ConnectionSettings, text: string): ReadonlyArray<string> => {
  if (credentials === undefined) return [text]
  const { password, username } = credentials
  const encoded = encodeURIComponent(password)
  const header = Buffer.from(`${username}:${password}`).toString("base64")
  return [text, header, encoded, password].filter((secret) => secret !== "")
}
