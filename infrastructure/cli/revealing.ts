import { Effect } from "effect"
import { Flag } from "effect/cli"
import { userInfo } from "node:os"
import { recordReveal, type Reveal } from "../../application/erasure/record-disclosure.ts"
import { DataFolderError } from "../runtime/data-folder.ts"
import { cannotRun } from "./exit.ts"
import { changing } from "./operation.ts"
import { onceCaughtUp } from "./reading.ts"

/** `--reveal`, of commands that can show personal data. */
export const revealFlag = Flag.Boolean("reveal").pipe(
  Flag.withDescription("Open names, account numbers, references and remarks; who looked is written into the log first"),
  Flag.withDefault(false)
)

/** Who is at the keyboard, as far as the operating system knows; a user without a name is told by its number. */
const user = Effect.sync((): string => {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`
  }
})

/** Writes down what is about to be shown. */
export type Record = ReturnType<typeof recording>

const recording = (operation: Parameters<typeof recordReveal>[1]) =>
  Effect.fnUntraced(function* (what: Omit<Reveal, "by">) {
    yield* recordReveal({ by: yield* user, ...what }, operation)
  })

/**
 * Runs what shows personal data, which it has written down before. That writes, so it wants embedded stores to itself;
 * `instead` says how to be shown the same while a service has them.
 */
export const revealing = <A, E extends { readonly _tag: string }, R>(
  instead: string,
  run: (record: Record) => Effect.Effect<A, E, R>
) =>
  changing(undefined, (operation) => onceCaughtUp(run(recording(operation)))).pipe(
    Effect.catchIf(isInUse, () =>
      Effect.fail(
        cannotRun(`a look at personal data is written into the log, which a running SlipTrail has open: ${instead}`)
      ))
  )

const isInUse = (error: unknown): error is DataFolderError =>
  error instanceof DataFolderError && error.reason === "in-use"
