import { Data, Effect } from "effect"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

/** The data folder can't be used; `message` says why and what to do. */
export class DataFolderError extends Data.TaggedError("DataFolderError")<{
  readonly reason: "in-use" | "missing" | "unusable"
  readonly message: string
}> {}

export const eventsFile = (folder: string): string => join(folder, "events.db")
export const modelsFile = (folder: string): string => join(folder, "models.db")

/** Stands in a folder from the first file that a restore moves to the last: in between its parts are of two logs. */
export const unfinishedRestoreFile = (folder: string): string => join(folder, "restore.unfinished")

const refuseHalfRestored = (folder: string): Effect.Effect<void, DataFolderError> =>
  Effect.suspend(() =>
    existsSync(unfinishedRestoreFile(folder))
      ? Effect.fail(
        new DataFolderError({
          reason: "unusable",
          message: `${folder} is half restored, a restore was broken off: run it again, sliptrail restore --force`
        })
      )
      : Effect.void
  )

const isBusy = (cause: unknown): boolean => cause instanceof Error && /locked|busy/iu.test(cause.message)

/** Whoever only probes the lock has it for a moment: that is no reason to be turned away. */
const PATIENCE_MILLIS = 300

const tryLock = (folder: string): Effect.Effect<DatabaseSync, DataFolderError> =>
  Effect.try({
    try: () => {
      const lock = new DatabaseSync(join(folder, "lock.db"), { timeout: PATIENCE_MILLIS })
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

const make = (folder: string): Effect.Effect<void, DataFolderError> =>
  Effect.try({
    try: () => mkdirSync(folder, { recursive: true, mode: 0o700 }),
    catch: (cause) => new DataFolderError({ reason: "unusable", message: `${folder} cannot be made: ${String(cause)}` })
  })

/** Holds a folder whatever state it is in, as a restore has to. */
export const lockDataFolder = (folder: string) =>
  make(folder).pipe(
    Effect.andThen(Effect.acquireRelease(tryLock(folder), (lock) => Effect.sync(() => lock.close()))),
    Effect.asVoid
  )

/**
 * Makes the data folder if need be and holds it for the scope: one process writes at a time. The lock is the operating
 * system's, through SQLite, so that it dies with its holder, however that dies.
 */
export const holdDataFolder = (folder: string) => Effect.andThen(lockDataFolder(folder), refuseHalfRestored(folder))

/** Fails when there is no whole data in a folder; `file` is what tells one that was in use from a wrong one. */
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

/** Whether another process holds the folder at the moment. Fails as `requireData` does. */
export const isHeld = (folder: string, file?: string): Effect.Effect<boolean, DataFolderError> =>
  requireData(folder, file).pipe(
    Effect.andThen(Effect.scoped(Effect.as(holdDataFolder(folder), false))),
    Effect.catchIf((error) => error.reason === "in-use", () => Effect.succeed(true))
  )
