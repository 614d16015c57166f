import { Cause, Data, Effect, Exit, type Runtime } from "effect"
import { CliError } from "effect/cli"

/**
 * A command ends without success. 1: the answer is no (nothing found, not allowed). 2: used wrongly, or it cannot run
 * (docs/spec/operations.md, "Command line").
 */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{
  readonly exitCode: 1 | 2
  readonly message: string
}> {}

/** The answer is no. */
export const answerIsNo = (message: string) => new CommandFailed({ exitCode: 1, message })

/** It cannot run. */
export const cannotRun = (message: string) => new CommandFailed({ exitCode: 2, message })

const isHelp = (error: unknown): boolean =>
  CliError.isCliError(error) && error._tag === "ShowHelp" && error.errors.length === 0

/** The exit code of a command's end; one that is told to stop and does has ended well. */
export const exitCode = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return 0
  const error = Cause.squash(exit.cause)
  if (error instanceof CommandFailed) return error.exitCode
  return isHelp(error) ? 0 : 2
}

/**
 * Says that a command which is told to stop has not done what it was asked for; without it, to stop is what a command
 * was to do.
 */
export const leaveUndone = Effect.sync(() => {
  process.exitCode = 2
})

export const teardown: Runtime.Teardown = (exit, onExit) => onExit(exitCode(exit) || Number(process.exitCode ?? 0))
