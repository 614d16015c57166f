import { Data, Effect } from "effect"

/** A backup differs from what was written; `message` says how. */
export class Damaged extends Data.TaggedError("Damaged")<{ readonly message: string }> {}

/**
 * A backup or a restore was not done. `refused`: the backup or its keys must not be used. `failed`: it could not run, for
 * example because the disk is full. `message` says what to do.
 */
export class BackupError extends Data.TaggedError("BackupError")<{
  readonly reason: "refused" | "failed"
  readonly message: string
}> {}

export const refuse = (message: string) => new BackupError({ reason: "refused", message })

export const failed = (message: string) => new BackupError({ reason: "failed", message })

/** Codes of the file system and texts of SQLite, with what to do. */
const reasons: ReadonlyArray<readonly [pattern: RegExp, reason: string]> = [
  [/ENOSPC|EDQUOT|disk is full/u, "the disk is full: free some space, or choose another disk"],
  [/EACCES|EPERM/u, "permission denied: run the command as the user of the service, or choose another place"],
  [/EROFS|readonly database/u, "the disk is read-only"],
  [/EFBIG|disk I\/O error/u, "the disk failed, or the file is too large for it (see ulimit -f): choose another disk"],
  [/EBUSY/u, "a disk is mounted there: choose a folder inside it"],
  [/ENOTDIR/u, "a part of the path is a file, not a folder"],
  [/ENOENT/u, "the file or folder does not exist"]
]

/** Converts the error of an operation; `prefix` begins the message. Returns a `BackupError` or `Damaged` unchanged. */
export const toBackupError = (prefix: string, cause: unknown): BackupError | Damaged => {
  if (cause instanceof BackupError || cause instanceof Damaged) return cause
  const message = cause instanceof Error ? cause.message : String(cause)
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  const text = `${code} ${message}`.trim()
  const [, reason = text] = reasons.find(([pattern]) => pattern.test(text)) ?? []
  return failed(`${prefix}: ${reason}`)
}

export const attempt = <A>(prefix: string, work: (signal: AbortSignal) => Promise<A>) =>
  Effect.tryPromise({ try: work, catch: (cause) => toBackupError(prefix, cause) })

export const attemptSync = <A>(prefix: string, work: () => A) =>
  Effect.try({ try: work, catch: (cause) => toBackupError(prefix, cause) })

/** Receives the progress of a backup or a restore, with a part of a whole where it is known. */
export type Report = (text: string, done?: number, total?: number) => Effect.Effect<void>
