import { Effect, Layer } from "effect"
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statfsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { beginning, formatPosition, isBefore, type Position } from "../../../../domain/events/recorded-event.ts"
import { EventStore, type EventStoreError } from "../../../../ports/event-store.ts"
import { ReadModelsError } from "../../../../ports/read-models.ts"
import { askThread } from "../../../threads/ask-thread.ts"
import { startThread, type Thread } from "../../../threads/start-thread.ts"
import { openTablesForReading, snapshotOf } from "./database.ts"
import { EmbeddedReadModels } from "./engine.ts"
import type { SnapshotRequest } from "./snapshot-thread.ts"

export interface SnapshotOptions {
  readonly file: string
  /** The models in use. Models of earlier versions may be in the file too. */
  readonly models: ReadonlyArray<string>
  /** A snapshot is taken when the log has grown by this many events since the last one … */
  readonly leastEvents?: number
  /** Between two looks, in milliseconds. */
  readonly everyMillis?: number
  /** No snapshot is taken while the log grows by more events between two looks, but for an hour at most. */
  readonly busyEvents?: number
}

const LEAST_EVENTS = 100_000

/** … and by this part. So all copies together are ten times the size of the read models. */
const LEAST_GROWTH = 0.1

const EVERY_MILLIS = 60_000

/** A hundred in a second. A snapshot of a large file delays the requests of its minutes. */
const BUSY_EVENTS = 6_000

const MOST_BUSY_LOOKS = 60

/**
 * Keeps a snapshot of the read models beside their file: the next start uses it when the file is lost or damaged
 * (`openTables`), and reads only the later events.
 *
 * Deletes a snapshot that is ahead of the log when it starts. The log was restored to an earlier state then, and could
 * later grow past the snapshot with other events.
 */
export const layerKeepSnapshot = (
  { busyEvents = BUSY_EVENTS, everyMillis = EVERY_MILLIS, file, leastEvents = LEAST_EVENTS, models }: SnapshotOptions
): Layer.Layer<never, EventStoreError | ReadModelsError, EmbeddedReadModels | EventStore> =>
  Layer.effectDiscard(Effect.gen(function* () {
    const store = yield* EventStore
    const { attempt, isBuilding } = yield* EmbeddedReadModels
    const snapshot = snapshotOf(file)
    let taken = yield* Effect.try({ try: () => furthestIn(snapshot), catch: failed })
    const head = yield* store.head
    if (isBefore(head, taken)) {
      yield* Effect.logWarning("The snapshot of the read models is ahead of the log, and is deleted").pipe(
        Effect.annotateLogs({ snapshot: formatPosition(taken), head: formatPosition(head) })
      )
      yield* Effect.try({ try: () => rmSync(snapshot, { force: true }), catch: failed })
      taken = beginning
    }

    let seen = head
    let busyLooks = 0
    /** Whether the log has grown fast since the last look. */
    const isBusy = Effect.map(store.head, (now) => {
      const grown = Number(now.commit - seen.commit)
      seen = now
      busyLooks = grown > busyEvents ? busyLooks + 1 : 0
      return busyLooks > 0 && busyLooks <= MOST_BUSY_LOOKS
    })

    const take = Effect.gen(function* () {
      const isWaiting = yield* isBusy
      const reached = yield* attempt("snapshot", (tables) => models.map(tables.checkpoint).reduce(earlier))
      const grown = reached.commit - taken.commit
      if (grown < BigInt(leastEvents) || Number(grown) < LEAST_GROWTH * Number(taken.commit)) return
      if (isWaiting || isBuilding()) return
      if (!(yield* Effect.try({ try: () => hasSpace(file), catch: failed }))) return
      yield* copy({ file, target: `${snapshot}.new` })
      yield* Effect.try({ try: () => putInPlace(`${snapshot}.new`, snapshot), catch: failed })
      taken = reached
      yield* Effect.logInfo(`A snapshot of the read models was taken at ${formatPosition(reached)}`)
    })
    yield* Effect.sleep(everyMillis).pipe(
      Effect.andThen(take),
      Effect.catch((error) => Effect.logWarning("No snapshot of the read models was taken", error)),
      Effect.forever,
      Effect.forkScoped
    )
  }))

/** The furthest checkpoint in a snapshot; `beginning` without one, or when it cannot be read. */
const furthestIn = (snapshot: string): Position => {
  if (!existsSync(snapshot)) return beginning
  try {
    const tables = openTablesForReading(snapshot)
    try {
      return tables.checkpoints().map(([, position]) => position).reduce(later, beginning)
    } finally {
      tables.close()
    }
  } catch {
    rmSync(snapshot, { force: true })
    return beginning
  }
}

const later = (one: Position, other: Position): Position => isBefore(one, other) ? other : one

const earlier = (one: Position, other: Position): Position => isBefore(one, other) ? one : other

/** Whether the disk has room for the copy, and as much again for the log. */
const hasSpace = (file: string): boolean => {
  const { bavail, bsize } = statfsSync(dirname(file))
  return bavail * bsize > 2 * statSync(file).size
}

type SnapshotThread = Thread<undefined, SnapshotRequest, undefined>

/** Writes the copy to a file that another one may have left. An interruption waits for the thread to end. */
const copy = (request: SnapshotRequest): Effect.Effect<void, ReadModelsError> =>
  Effect.acquireUseRelease(
    Effect.try({
      try: (): SnapshotThread => {
        // Empty, as SQLite requires, and closed to other users.
        rmSync(request.target, { force: true })
        closeSync(openSync(request.target, "w", 0o600))
        return startThread({
          script: new URL("./snapshot-thread.ts", import.meta.url),
          name: "model-snapshot",
          data: undefined
        })
      },
      catch: failed
    }),
    (thread) => Effect.asVoid(Effect.mapError(askThread(thread, request), failed)),
    (thread) => Effect.promise(() => thread.terminate())
  )

/** A file that has its name is on the disk as a whole. */
const putInPlace = (written: string, target: string): void => {
  const descriptor = openSync(written, "r+")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(written, target)
}

const failed = (cause: unknown) => new ReadModelsError({ operation: "snapshot", reason: "unavailable", cause })
