import { Data, Effect } from "effect"
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { DatabaseSync } from "node:sqlite"

/** The data folder cannot be used. `message` says why and what to do. */
export class DataFolderError extends Data.TaggedError("DataFolderError")<{
  readonly reason: "in-use" | "missing" | "unusable"
  readonly message: string
}> {}

export const eventsFile = (folder: string): string => join(folder, "events.db")
export const modelsFile = (folder: string): string => join(folder, "models.db")

/** Signed tree heads of the log, unless `CHECKPOINT_FILE` names another file. */
export const checkpointsFile = (folder: string): string => join(folder, "checkpoints.ndjson")

/** Exists while a restore moves files: meanwhile the folder holds parts of two logs. */
export const unfinishedRestoreFile = (folder: string): string => join(folder, "restore.unfinished")

const refuseHalfRestored = (folder: string): Effect.Effect<void, DataFolderError> =>
  Effect.suspend(() =>
    existsSync(unfinishedRestoreFile(folder))
      ? Effect.fail(
        new DataFolderError({
          reason: "unusable",
          message: `${folder} is half restored, a restore was interrupted: run it again, sliptrail restore --force`
        })
      )
      : Effect.void
  )

const isEmpty = (file: string): boolean => !existsSync(file) || statSync(file).size === 0

/**
 * Fails when the log of a folder is missing, and what a service made from it is there. An empty log would hide the loss:
 * every earlier slip would be new again, and every quota unused.
 */
export const refuseLostLog = (folder: string): Effect.Effect<void, DataFolderError> =>
  Effect.suspend(() => {
    const events = eventsFile(folder)
    const made = [modelsFile(folder), checkpointsFile(folder)].filter((file) => !isEmpty(file))
    if (!isEmpty(events) || !isEmpty(`${events}-wal`) || made.length === 0) return Effect.void
    const files = made.map((file) => basename(file)).join(" and ")
    const message = `${events} is missing or empty, but ${files} of its log are there: restore a backup with sliptrail `
      + `restore, or move ${files} away to begin a new log`
    return Effect.fail(new DataFolderError({ reason: "unusable", message }))
  })

const isBusy = (cause: unknown): boolean => cause instanceof Error && /locked|busy/iu.test(cause.message)

/** Long enough for a command that only probes the lock. */
const LOCK_WAIT_MILLIS = 300

/** Locks a SQLite file until it is closed. `folder` is for messages. */
export const lockFile = (file: string, folder: string): Effect.Effect<DatabaseSync, DataFolderError> =>
  Effect.try({
    try: () => {
      const lock = new DatabaseSync(file, { timeout: LOCK_WAIT_MILLIS })
      try {
        lock.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
      } catch (cause) {
        lock.close()
        throw cause
      }
      return lock
    },
    catch: (cause) =>
      isBusy(cause)
        ? new DataFolderError({
          reason: "in-use",
          message: `${folder} is in use by a running SlipTrail: stop it first`
        })
        : new DataFolderError({ reason: "unusable", message: `${folder} cannot be used: ${String(cause)}` })
  })

export const makeFolder = (folder: string): Effect.Effect<void, DataFolderError> =>
  Effect.try({
    try: () => mkdirSync(folder, { recursive: true, mode: 0o700 }),
    catch: (cause) =>
      new DataFolderError({ reason: "unusable", message: `${folder} cannot be created: ${String(cause)}` })
  })

/** Locks a folder in any state, for a restore. */
export const lockDataFolder = (folder: string) =>
  makeFolder(folder).pipe(
    Effect.andThen(
      Effect.acquireRelease(lockFile(join(folder, "lock.db"), folder), (lock) => Effect.sync(() => lock.close()))
    ),
    Effect.asVoid
  )

/**
 * Creates the data folder when it is missing and locks it until the scope closes: only one process writes. SQLite
 * uses a lock of the operating system, which ends with the process, also after a crash.
 */
export const holdDataFolder = (folder: string) => Effect.andThen(lockDataFolder(folder), refuseHalfRestored(folder))

/** Permission bits of other users; 0 on systems without such bits. */
export const permissionsOfOthers = (path: string): number =>
  process.platform === "win32" ? 0 : statSync(path).mode & 0o077

/** The folder and its files. Folders inside it, such as those of earlier restores, are closed with it. */
export const pathsOf = (folder: string): ReadonlyArray<string> => [
  folder,
  ...readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => join(folder, name))
]

/**
 * Takes the permissions of other users from the folder and its files: earlier versions created some without care. Warns
 * when the files belong to another user.
 */
export const closeToOthers = (folder: string): Effect.Effect<void> =>
  Effect.try({
    try: () => {
      for (const path of pathsOf(folder)) {
        if (permissionsOfOthers(path) !== 0) chmodSync(path, path === folder ? 0o700 : 0o600)
      }
    },
    catch: String
  }).pipe(
    Effect.catch((cause) =>
      Effect.logWarning(
        `Other users may read ${folder}: ${cause}. Run chmod 700 on it as its owner, or start as its owner`
      )
    )
  )

/** Fails when a folder has no complete data. `file` must exist in a folder that a service has used. */
export const requireData = (folder: string, file: string = eventsFile(folder)): Effect.Effect<void, DataFolderError> =>
  Effect.andThen(
    refuseHalfRestored(folder),
    Effect.suspend(() => {
      if (existsSync(file)) return Effect.void
      const message =
        `there is no data in ${folder}: start the service once, or set DATA_DIR to the folder that it uses`
      return Effect.fail(new DataFolderError({ reason: "missing", message }))
    })
  )

/** Whether another process has locked the folder. Fails like `requireData`. */
export const isHeld = (folder: string, file?: string): Effect.Effect<boolean, DataFolderError> =>
  requireData(folder, file).pipe(
    Effect.andThen(Effect.scoped(Effect.as(holdDataFolder(folder), false))),
    Effect.catchIf((error) => error.reason === "in-use", () => Effect.succeed(true))
  )
