import { ReadModelsError } from "../../../ports/read-models.ts"

export type ToReadModelsError = (operation: string, cause: unknown) => ReadModelsError

/**
 * What Redis or the way to it said, as the port's error. The cause is made anew from its message, out of which secrets
 * are cut: an error of the client carries the whole command, for a refused password the password.
 */
export const makeToReadModelsError = (secrets: ReadonlyArray<string>): ToReadModelsError => (operation, cause) => {
  if (cause instanceof ReadModelsError) return cause
  const said = cause instanceof Error ? cause.message : String(cause)
  const message = secrets.reduce((shown, secret) => shown.replaceAll(secret, "<redacted>"), meaningOf(said))
  return new ReadModelsError({
    operation,
    reason: said === TIMED_OUT ? "timeout" : "unavailable",
    cause: new Error(message)
  })
}

/** The client's words for a command without an answer in time. */
const TIMED_OUT = "Command timed out"

const meaningOf = (said: string): string => {
  if (/^(?:WRONGPASS|NOAUTH|ERR invalid password)/u.test(said)) {
    return `it refused the user or password of REDIS_URL: ${said}`
  }
  if (said.startsWith("NOPERM")) return `the user of REDIS_URL may not do this: ${said}`
  if (/ECONNREFUSED/u.test(said)) return `nothing listens there, start Redis or correct REDIS_URL: ${said}`
  if (/ENOTFOUND|EAI_AGAIN/u.test(said)) return `its name can't be resolved: ${said}`
  // The client's words for "the connection went away": advice on options of the client would only mislead.
  if (/^(?:Reached the max retries|Stream isn't writeable|Connection is closed|Cluster isn't ready)/u.test(said)) {
    return "not connected"
  }
  return said
}
