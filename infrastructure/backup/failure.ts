import { Data, Effect } from "effect"
import { answerIsNo, cannotRun, CommandFailed } from "../cli/exit.ts"

/** A backup is not what it was when it was written; `message` says what is wrong with it. */
export class Damaged extends Data.TaggedError("Damaged")<{ readonly message: string }> {}

/** Puts nothing back of a damaged backup: the answer is no. */
export const refuseDamaged = (path: string) => ({ message }: Damaged): CommandFailed =>
  answerIsNo(`${path} is not sound: ${message}; take another backup`)

/** What is behind the words of the file system and of SQLite, by their codes or, where there is none, their texts. */
const reasons: ReadonlyArray<readonly [said: RegExp, why: string]> = [
  [/ENOSPC|EDQUOT|disk is full/u, "the disk is full: make room, or choose another disk"],
  [/EACCES|EPERM/u, "that is not permitted: run it as the user that the service runs as, or choose another place"],
  [/EROFS|readonly database/u, "the disk can only be read"],
  [/EFBIG|disk I\/O error/u, "the disk failed, or takes no file that large (see ulimit -f): choose another one"],
  [/EBUSY/u, "it is where a disk is mounted: name a folder in it"],
  [/ENOTDIR/u, "there is a file in the place of a folder"],
  [/ENOENT/u, "there is no such file or folder"]
]

const textOf = (cause: unknown): string => {
  const message = cause instanceof Error ? cause.message : String(cause)
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  return `${code} ${message}`.trim()
}

/** What went wrong with something, in words that say what to do. */
export const told = (what: string, cause: unknown): CommandFailed | Damaged => {
  if (cause instanceof CommandFailed || cause instanceof Damaged) return cause
  const text = textOf(cause)
  const [, why = text] = reasons.find(([said]) => said.test(text)) ?? []
  return cannotRun(`${what}: ${why}`)
}

/** Does something with files; what they refuse is told of `what`. */
export const attempt = <A>(what: string, work: (signal: AbortSignal) => Promise<A>) =>
  Effect.tryPromise({ try: work, catch: (cause) => told(what, cause) })

/** The same for what is done at once. */
export const attemptNow = <A>(what: string, work: () => A) =>
  Effect.try({ try: work, catch: (cause) => told(what, cause) })
