import { Cause, Config, Schema, SchemaIssue } from "effect"
import { CliError } from "effect/cli"
import { EventStoreError, WrongExpectedRevision } from "../../ports/event-store.ts"
import { ReadModelsError } from "../../ports/read-models.ts"

/**
 * What went wrong, in one line for the person who typed the command. Undefined when there is nothing to say: it was
 * told to stop, or the wrong use was explained already. A defect is told with its stack, for whoever repairs it.
 */
export const explain = (cause: Cause.Cause<unknown>): string | undefined => {
  const error = Cause.squash(cause)
  if (Cause.hasInterruptsOnly(cause) || CliError.isCliError(error)) return undefined
  // Thrown where an event is read that no version has written.
  const isUnreadable = Schema.isSchemaError(error)
  return isUnreadable || cause.reasons.every(Cause.isFailReason) ? `sliptrail: ${inWords(error)}` : Cause.pretty(cause)
}

/** What to do about a log that is not as it was written. */
const WAS_IT_CHANGED = "sliptrail trail verify says whether the log was changed, and where"

/** A setting that can't be read: its name and what was expected. */
export const explainConfig = ({ cause, message }: Config.ConfigError): string =>
  cause._tag === "SchemaError"
    ? formatIssues(cause.issue).issues.map(({ message, path }) => `${(path ?? []).map(String).join(".")}: ${message}`)
      .join("; ")
    : oneLine(message)

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, " ").trim()

const because = (cause: unknown): string => cause === undefined ? "" : `: ${inWords(cause)}`

const inWords = (error: unknown): string => {
  if (error instanceof Config.ConfigError) return explainConfig(error)
  if (error instanceof WrongExpectedRevision) return "somebody else changed it at the same moment: look, then repeat"
  if (error instanceof EventStoreError) {
    const hint = error.reason === "corrupt" ? `; ${WAS_IT_CHANGED}` : ""
    return `the event store failed (${error.operation}, ${error.reason})${because(error.cause)}${hint}`
  }
  if (error instanceof ReadModelsError) {
    return error.reason === "behind"
      ? "the read models are behind the log: is the service still starting? Try again in a moment"
      : `the read models failed (${error.operation}, ${error.reason})${because(error.cause)}`
  }
  if (Schema.isSchemaError(error)) {
    const issues = formatIssues(error.issue).issues.map(({ message, path }) =>
      `${(path ?? []).map(String).join(".")}: ${oneLine(message)}`
    )
    return `something that is stored cannot be read (${issues.join("; ")}); ${WAS_IT_CHANGED}`
  }
  if (!(error instanceof Error)) return oneLine(String(error))
  // Errors that only wrap another one, such as that of a server that cannot listen, carry no words of their own.
  return error.message === "" ? because(error.cause).slice(2) || error.name : oneLine(error.message)
}
