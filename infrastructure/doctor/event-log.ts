import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { EventStore } from "../../ports/event-store.ts"
import { isOwnKey } from "../../application/sealing/own-key.ts"
import { openForReading, openForWriting } from "../stores/sqlite/events/log-file.ts"
import { eventsFile } from "../runtime/data-folder.ts"
import type { EngineSettings } from "../runtime/engines.ts"
import { layerKeysReadOnly } from "../runtime/keys.ts"
import { fail, type Finding, ok } from "./finding.ts"

const LEVELS = ["off", "normal", "full", "extra"]

const pragma = (database: DatabaseSync, name: string): unknown =>
  Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]

const looking = <A>(open: () => DatabaseSync, look: (database: DatabaseSync) => A): A => {
  const database = open()
  try {
    return look(database)
  } finally {
    database.close()
  }
}

/** How hard the writer flushes is a matter of its connection and not of the file: seen on a log made for it. */
const synchronousOfWriter = (): string => {
  const scratch = mkdtempSync(join(tmpdir(), "sliptrail-doctor-"))
  try {
    const level = looking(() => openForWriting(join(scratch, "events.db")), (log) => Number(pragma(log, "synchronous")))
    return LEVELS[level] ?? String(level)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Whether the log can be read, and whether what is appended is on the disk before it is acknowledged. */
export const judgeDurability = (folder: string): Finding => {
  const file = eventsFile(folder)
  try {
    const mode = String(looking(() => openForReading(file), (log) => pragma(log, "journal_mode")))
    const synchronous = synchronousOfWriter()
    const told = `${file}: journal_mode ${mode}, synchronous ${synchronous}`
    if (synchronous !== "full" && synchronous !== "extra") {
      return fail("event log", told, "a power cut would take the last events: use another build of the runtime")
    }
    return ok(
      "event log",
      mode === "wal"
        ? `${told}: an append is on the disk before it is answered`
        : `${file}: journal_mode ${mode}, as a restore leaves it: it becomes wal when the service starts; `
          + `synchronous ${synchronous}`
    )
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    return fail("event log", `${file} cannot be read: ${message}`, "put it back from the backup; do not start on it")
  }
}

/** Clocks of machines drift apart by less. */
const DRIFT_MILLIS = 60_000
/** The first day of the year in which this was written: a clock that has never been set shows less. */
const EARLIEST = Date.UTC(2026, 0, 1)

const iso = (millis: number): string => new Date(millis).toISOString()

/** Whether the clock can be right, by what stands in the log; `newest` is when the last event was taken. */
export const judgeClock = (now: number, newest: number | undefined): Finding => {
  const advice = "set the clock, and let time synchronisation (NTP) keep it: slips are judged by their age"
  if (now < EARLIEST) return fail("clock", `the clock shows ${iso(now)}`, advice)
  if (newest !== undefined && newest - now > DRIFT_MILLIS) {
    return fail("clock", `the clock shows ${iso(now)}, but the newest event is of ${iso(newest)}`, advice)
  }
  return ok("clock", `${iso(now)}${newest === undefined ? "" : `, after the newest event (${iso(newest)})`}`)
}

/** Whether the master key in force is the one that the log was sealed with. */
export const judgeKey = Effect.fnUntraced(function* (settings: EngineSettings) {
  const isOwn = yield* isOwnKey.pipe(
    Effect.provide(layerKeysReadOnly(settings)),
    Effect.catchTags({
      // A key that can't be had is told where the key is looked at.
      MasterKeyError: () => Effect.void,
      // The keys of the slips are sealed under it too.
      SubjectKeysError: () => Effect.succeed(false)
    })
  )
  const findings: ReadonlyArray<Finding> = isOwn === undefined
    ? []
    : isOwn
    ? [ok("master key", "opens what the log has sealed")]
    : [
      fail(
        "master key",
        "does not open what the log has sealed: it is another key",
        "put back the master.key and the subjects.key, or the MASTER_KEY, that belong to this log"
      )
    ]
  return findings
})

/** When the last event of an embedded log was taken, in Unix milliseconds; undefined when it is empty. */
export const newestOfFile = Effect.gen(function* () {
  const store = yield* EventStore
  const { commit, prepare } = yield* store.head
  const behind = { commit: commit - 1n, prepare: prepare - 1n }
  const [last] = commit === 0n ? [] : yield* store.readAll({ after: behind, limit: 1 })
  return last?.recordedAt
})
