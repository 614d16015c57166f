import { Cause, Config, Data, Effect, Exit, type Runtime, Schema } from "effect"
import { CliError } from "effect/cli"
import { EventStoreError, WrongExpectedRevision } from "../../../ports/event-store.ts"
import { ReadModelsError } from "../../../ports/read-models.ts"
import { saysDiskFull } from "../../platform/disk-full.ts"
import { visibleText } from "../../platform/visible-text.ts"
import { describeConfigError, describeIssue, oneLine } from "../../platform/settings/setting.ts"

/**
 * A command ends without success (docs/spec/operations.md, "Command line"). Exit code 1: the answer is no (nothing found,
 * not allowed). Exit code 2: the command was used wrongly, or it cannot run. Exit code 3: the log is not proven.
 */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{
  readonly exitCode: 1 | 2 | 3
  readonly message: string
  /** Whether the same command may succeed a moment later: the service could not be reached, or was busy. */
  readonly isTransient?: boolean
}> {}

export const answerIsNo = (message: string) => new CommandFailed({ exitCode: 1, message })

export const nothingProven = (message: string) => new CommandFailed({ exitCode: 3, message })

export const cannotRun = (message: string) => new CommandFailed({ exitCode: 2, message })

/** The command cannot run now. */
export const unavailable = (message: string) => new CommandFailed({ exitCode: 2, message, isTransient: true })

const isHelp = (error: unknown): boolean =>
  CliError.isCliError(error) && error._tag === "ShowHelp" && error.errors.length === 0

/** The exit code of a command. An interrupted command ends with 0 unless it called `markIncomplete`. */
export const exitCode = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return 0
  const error = Cause.squash(exit.cause)
  if (error instanceof CommandFailed) return error.exitCode
  return isHelp(error) ? 0 : 2
}

/** Makes an interrupted process end with exit code 2, because the command has not finished its work. */
export const markIncomplete = Effect.sync(() => {
  process.exitCode = 2
})

export const teardown: Runtime.Teardown = (exit, onExit) => onExit(exitCode(exit) || Number(process.exitCode ?? 0))

/**
 * The error message of a failed command, on one line. Undefined when there is nothing to print: the command was
 * interrupted, or the usage error was printed already. A defect is printed with its stack.
 */
export const describeFailure = (cause: Cause.Cause<unknown>): string | undefined => {
  const error = Cause.squash(cause)
  if (Cause.hasInterruptsOnly(cause) || CliError.isCliError(error)) return undefined
  // Decoding a stored event throws a schema error; it is not a typed failure.
  const isExpected = Schema.isSchemaError(error) || cause.reasons.every(Cause.isFailReason)
  return visibleText(isExpected ? `sliptrail: ${describe(error)}` : Cause.pretty(cause))
}

const CHECK_THE_LOG = "run sliptrail trail verify to check whether the log was changed, and where"

const FREE_SPACE = "; free space on the disk of the data folder, then repeat the command"

const because = (cause: unknown): string => cause === undefined ? "" : `: ${describe(cause)}`

const describe = (error: unknown): string => {
  if (error instanceof Config.ConfigError) return describeConfigError(error)
  if (error instanceof WrongExpectedRevision) {
    return "another process changed it at the same time: check its state, then repeat the command"
  }
  if (error instanceof EventStoreError) {
    const hint = error.reason === "corrupt" ? `; ${CHECK_THE_LOG}` : error.reason === "disk-full" ? FREE_SPACE : ""
    return `the event store failed (${error.operation}, ${error.reason})${because(error.cause)}${hint}`
  }
  if (error instanceof ReadModelsError) {
    return error.reason === "behind"
      ? "the read models are behind the log, the service may still be starting: try again in a moment"
      : `the read models failed (${error.operation}, ${error.reason})${because(error.cause)}`
        + (saysDiskFull(because(error.cause)) ? FREE_SPACE : "")
  }
  if (Schema.isSchemaError(error)) {
    return `stored data cannot be read (${describeIssue(error.issue)}); ${CHECK_THE_LOG}`
  }
  if (!(error instanceof Error)) return oneLine(String(error))
  // An error that only wraps another, such as that of a server that cannot listen, has an empty message.
  return error.message === "" ? because(error.cause).slice(2) || error.name : oneLine(error.message)
}
