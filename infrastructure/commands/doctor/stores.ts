import { Clock, Effect, type Layer, type Redacted } from "effect"
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { isOwnKey } from "../../../application/sealed-values/own-key.ts"
import { EventStore, type EventStoreError } from "../../../ports/event-store.ts"
import { eventsFile } from "../../runtime/data-folder.ts"
import type { EngineSettings } from "../../runtime/engines.ts"
import { layerKeysReadOnly, masterKey } from "../../runtime/keys.ts"
import { fileInFolder } from "../../runtime/stores.ts"
import { foreignSchemaOf, openForReading, openForWriting } from "../../adapters/stores/sqlite/events/log-file.ts"
import { layerEventStoreEmbeddedReadOnly } from "../../adapters/stores/sqlite/events/store.ts"
import { pragma } from "../../adapters/stores/sqlite/own-schema.ts"
import { checkFolder } from "./data-folder.ts"
import { type Finding, findingsAbout, messageOf, when } from "./finding.ts"
import { checkModelCopy } from "./model-copy.ts"
import { checkReadModels } from "./read-models.ts"
import { checkSealedValues } from "./sealed-values.ts"

const aboutEventLog = findingsAbout("event log")
const aboutClock = findingsAbout("clock")
const aboutMasterKey = findingsAbout("master key")
const aboutQuotas = findingsAbout("quotas")

const LEVELS = ["off", "normal", "full", "extra"]

const withDatabase = <A>(open: () => DatabaseSync, use: (database: DatabaseSync) => A): A => {
  const database = open()
  try {
    return use(database)
  } finally {
    database.close()
  }
}

/** The writer sets `synchronous` on its connection, not in the file. So it is read from a new, temporary log. */
const synchronousOfWriter = (): string => {
  const scratch = mkdtempSync(join(tmpdir(), "sliptrail-doctor-"))
  try {
    const level = withDatabase(
      () => openForWriting(join(scratch, "events.db")),
      (log) => Number(pragma(log, "synchronous"))
    )
    return LEVELS[level] ?? String(level)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Checks whether the log can be read, and whether an append is on the disk before it is acknowledged. */
export const checkDurability = (folder: string): Finding => {
  const file = eventsFile(folder)
  try {
    const { foreign, mode } = withDatabase(() => openForReading(file), (log) => ({
      foreign: foreignSchemaOf(log),
      mode: String(pragma(log, "journal_mode"))
    }))
    if (foreign !== undefined) {
      const { advice, found } = foreign
      return aboutEventLog.fail(`${file} has a foreign schema: ${found}. The service does not start on it`, advice)
    }
    const synchronous = synchronousOfWriter()
    const modes = `${file}: journal_mode ${mode}, synchronous ${synchronous}`
    if (synchronous !== "full" && synchronous !== "extra") {
      return aboutEventLog.fail(modes, "use another build of the runtime: after a power cut the last events are lost")
    }
    return aboutEventLog.ok(
      mode === "wal"
        ? `${modes}: an append is on the disk before it is acknowledged`
        : `${file}: journal_mode ${mode} after a restore, it changes to wal when the service starts; `
          + `synchronous ${synchronous}`
    )
  } catch (cause) {
    return aboutEventLog.fail(
      `${file} cannot be read: ${messageOf(cause)}`,
      "restore it from the backup; do not start the service on it"
    )
  }
}

/** A second or two. */
const MOST_EXAMINED = 512 * 2 ** 20

/** Checks whether every page of the log is undamaged, its indexes too. A large file takes minutes, so it is not examined. */
const checkDamage = Effect.fnUntraced(function* (folder: string) {
  const file = eventsFile(folder)
  if (statSync(file).size > MOST_EXAMINED) {
    return aboutEventLog.ok(`${file} is too large to be examined for damage here; sliptrail trail verify examines it`)
  }
  const { examineLog } = yield* Effect.promise(() => import("../backup/log.ts"))
  const { faults } = yield* examineLog(file)
  if (faults.length === 0) return aboutEventLog.ok(`${file}: no page is damaged`)
  return aboutEventLog.fail(
    `${file} is damaged: ${faults.join("; ")}`,
    "stop the service, copy the folder, and repair an index or restore a backup as the runbook EventStoreFailing says"
  )
})

/** The largest accepted difference between the clocks of two machines. */
const DRIFT_MILLIS = 60_000
/** A clock that was never set shows an earlier time. */
const EARLIEST = Date.UTC(2026, 0, 1)

const iso = (millis: number): string => new Date(millis).toISOString()

/** Compares the clock with the log; `newest` is the time of the last event. */
export const checkClock = (now: number, newest: number | undefined): Finding => {
  const advice = "set the clock and enable time synchronisation (NTP): the age of slips is checked"
  if (now < EARLIEST) return aboutClock.fail(`the clock shows ${iso(now)}`, advice)
  if (newest !== undefined && newest - now > DRIFT_MILLIS) {
    return aboutClock.fail(`the clock shows ${iso(now)}, but the newest event is of ${iso(newest)}`, advice)
  }
  return aboutClock.ok(`${iso(now)}${newest === undefined ? "" : `, after the newest event (${iso(newest)})`}`)
}

/** Checks whether the master key opens the sealed data of the log. */
const checkKey = Effect.fnUntraced(function* (settings: EngineSettings) {
  const isOwn = yield* isOwnKey.pipe(
    Effect.provide(layerKeysReadOnly(settings)),
    Effect.catchTags({
      // A key that cannot be read is a finding of the data folder.
      MasterKeyError: () => Effect.void,
      // The slip keys are sealed with the master key.
      SubjectKeysError: () => Effect.succeed(false)
    })
  )
  const foreign = aboutMasterKey.fail(
    "does not open the sealed data of the log: it is another key",
    "restore master.key and subjects.key, or set MASTER_KEY and SUBJECT_KEYS_FILE, that belong to this log"
  )
  return when(isOwn !== undefined, isOwn === true ? aboutMasterKey.ok("opens the sealed data of the log") : foreign)
})

/** Time of the last event of an embedded log in Unix milliseconds; undefined when the log is empty. */
const newestOfFile = Effect.gen(function* () {
  const store = yield* EventStore
  const { commit, prepare } = yield* store.head
  const beforeLast = { commit: commit - 1n, prepare: prepare - 1n }
  const [last] = commit === 0n ? [] : yield* store.readAll({ after: beforeLast, limit: 1 })
  return last?.recordedAt
})

type Findings = ReadonlyArray<Finding>

const clock = (newest: number | undefined) =>
  Effect.map(Clock.currentTimeMillis, (now): Findings => [checkClock(now, newest)])

/** Checks that need the log: the key and the read models. */
const checkKeyAndModels = Effect.fnUntraced(function* (settings: EngineSettings, held: boolean, hasModels: boolean) {
  const key = yield* checkKey(settings)
  if (!hasModels) return key
  const models: Findings = yield* checkReadModels(settings, held)
  return [...key, ...models, ...(yield* checkModelCopy(settings)), ...(yield* checkSealedValues(settings))]
})

/** Runs checks on a log; a log that cannot be read becomes a finding. */
const withLog =
  (log: Layer.Layer<EventStore, EventStoreError>, advice: string) =>
  (check: Effect.Effect<Findings, EventStoreError, EventStore>) =>
    check.pipe(
      Effect.provide(log),
      Effect.catchTag("EventStoreError", ({ cause, operation }) =>
        Effect.succeed([aboutEventLog.fail(`cannot be read (${operation}): ${String(cause)}`, advice)]))
    )

const checkFile = Effect.fnUntraced(function* (settings: EngineSettings, held: boolean, hasModels: boolean) {
  const durability = checkDurability(settings.dataDir)
  if (durability.level === "FAIL") return [durability]
  const findings = yield* Effect.all([
    checkKeyAndModels(settings, held, hasModels),
    Effect.flatMap(newestOfFile, clock)
  ]).pipe(
    Effect.map((both): Findings => both.flat()),
    withLog(layerEventStoreEmbeddedReadOnly({ file: eventsFile(settings.dataDir) }), "restore it from the backup")
  )
  return [durability, yield* checkDamage(settings.dataDir), ...findings]
})

/** All processes of an event store server need the same key, so it comes from the setting. */
const checkKeySetting = (settings: EngineSettings): Effect.Effect<Findings> =>
  settings.masterKey === undefined
    ? Effect.match(masterKey(settings, false), {
      onSuccess: (): Findings => [],
      onFailure: ({ message }): Findings => [
        aboutMasterKey.fail(
          message,
          "set MASTER_KEY; if the log has events already, it must be the key that sealed them"
        )
      ]
    })
    : Effect.succeed([aboutMasterKey.ok("taken from MASTER_KEY")])

const checkServer = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  settings: EngineSettings,
  held: boolean,
  hasModels: boolean
) {
  const { checkEventStore } = yield* Effect.promise(() => import("./event-store-server.ts"))
  const { findings, isReadable, newest } = yield* checkEventStore(url)
  const { layerEventStoreDb } = yield* Effect.promise(() => import("../../adapters/stores/eventstoredb/store.ts"))
  const all: Findings = [
    ...findings,
    ...(yield* checkKeySetting(settings)),
    ...(isReadable
      ? yield* checkKeyAndModels(settings, held, hasModels).pipe(
        withLog(layerEventStoreDb({ connectionString: url }), "check that the event store runs and can be reached")
      )
      : []),
    ...(yield* clock(newest))
  ]
  return all
})

const checkRedisOf = Effect.fnUntraced(function* ({ eventStoreUrl, redisUrl }: EngineSettings) {
  if (redisUrl !== undefined) {
    const { checkRedis } = yield* Effect.promise(() => import("./redis.ts"))
    return yield* checkRedis(redisUrl)
  }
  const alone = aboutQuotas.warn(
    "EVENTSTORE_URL without REDIS_URL: quotas are exact only while one process is on this event store",
    "set REDIS_URL, or never start a second process"
  )
  return { findings: when(eventStoreUrl !== undefined, alone), isUsable: true }
})

/** Checks data folder, servers, log, keys, read models and clock. */
export const checkStores = Effect.fnUntraced(function* (settings: EngineSettings) {
  const file = fileInFolder(settings)
  const folder = file === undefined ? { findings: [], hasData: true, held: false } : yield* checkFolder(settings, file)
  const redis = yield* checkRedisOf(settings)
  const hasModels = redis.isUsable && folder.hasData
  const logFindings = settings.eventStoreUrl !== undefined
    ? checkServer(settings.eventStoreUrl, settings, folder.held, hasModels)
    : folder.hasData
    ? checkFile(settings, folder.held, redis.isUsable)
    : clock(undefined)
  return [...folder.findings, ...redis.findings, ...(yield* logFindings)]
})
