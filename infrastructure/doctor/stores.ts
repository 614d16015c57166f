import { Clock, Effect, type Layer, type Redacted } from "effect"
import type { EventStore, EventStoreError } from "../../ports/event-store.ts"
import { layerEventStoreEmbeddedReadOnly } from "../stores/sqlite/events/store.ts"
import { eventsFile } from "../runtime/data-folder.ts"
import type { EngineSettings } from "../runtime/engines.ts"
import { masterKey } from "../runtime/keys.ts"
import { fileInFolder } from "../runtime/stores.ts"
import { judgeFolder } from "./data-folder.ts"
import { judgeClock, judgeDurability, judgeKey, newestOfFile } from "./event-log.ts"
import { fail, type Finding, ok, warn } from "./finding.ts"
import { judgeReadModels } from "./read-models.ts"

type Findings = ReadonlyArray<Finding>

const clock = (newest: number | undefined) =>
  Effect.map(Clock.currentTimeMillis, (now): Findings => [judgeClock(now, newest)])

/** What the log says of the key, and what the read models have of it. */
const overLog = Effect.fnUntraced(function* (settings: EngineSettings, held: boolean, hasModels: boolean) {
  const findings: Findings = [
    ...(yield* judgeKey(settings)),
    ...(hasModels ? yield* judgeReadModels(settings, held) : [])
  ]
  return findings
})

/** Findings on a log of that layer; one that can't be read is a finding too. */
const on =
  (log: Layer.Layer<EventStore, EventStoreError>, advice: string) =>
  (look: Effect.Effect<Findings, EventStoreError, EventStore>) =>
    look.pipe(
      Effect.provide(log),
      Effect.catchTag("EventStoreError", ({ cause, operation }) =>
        Effect.succeed([fail("event log", `cannot be read (${operation}): ${String(cause)}`, advice)]))
    )

const judgeFile = Effect.fnUntraced(function* (settings: EngineSettings, held: boolean, hasModels: boolean) {
  const durability = judgeDurability(settings.dataDir)
  if (durability.level === "FAIL") return [durability]
  const findings = yield* Effect.all([overLog(settings, held, hasModels), Effect.flatMap(newestOfFile, clock)]).pipe(
    Effect.map((both): Findings => both.flat()),
    on(layerEventStoreEmbeddedReadOnly({ file: eventsFile(settings.dataDir) }), "put it back from the backup")
  )
  return [durability, ...findings]
})

/** Every process on a server needs the same key, which no folder can give it. */
const judgeKeySetting = (settings: EngineSettings): Effect.Effect<Findings> =>
  settings.masterKey === undefined
    ? Effect.match(masterKey(settings, false), {
      onSuccess: (): Findings => [],
      onFailure: ({ message }): Findings => [
        fail("master key", message, "if the log has events already, it must be the key that they were sealed with")
      ]
    })
    : Effect.succeed([ok("master key", "taken from MASTER_KEY")])

const judgeServer = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  settings: EngineSettings,
  held: boolean,
  hasModels: boolean
) {
  const { judgeEventStore } = yield* Effect.promise(() => import("./event-store-server.ts"))
  const { findings, isReadable, newest } = yield* judgeEventStore(url)
  const { layerEventStoreDb } = yield* Effect.promise(() => import("../stores/eventstoredb/store.ts"))
  const all: Findings = [
    ...findings,
    ...(yield* judgeKeySetting(settings)),
    ...(isReadable
      ? yield* overLog(settings, held, hasModels).pipe(
        on(layerEventStoreDb({ connectionString: url }), "see that the event store runs and can be reached")
      )
      : []),
    ...(yield* clock(newest))
  ]
  return all
})

const judgeRedisOf = Effect.fnUntraced(function* ({ eventStoreUrl, redisUrl }: EngineSettings) {
  if (redisUrl !== undefined) {
    const { judgeRedis } = yield* Effect.promise(() => import("./redis-server.ts"))
    return yield* judgeRedis(redisUrl)
  }
  const alone = warn(
    "quotas",
    "EVENTSTORE_URL without REDIS_URL: quotas are exact only while one process is on this event store",
    "set REDIS_URL, or see to it that there is never a second one"
  )
  return { findings: eventStoreUrl === undefined ? [] : [alone], isUsable: true }
})

/** Everything that is kept: the data folder, the servers, the log, its key, the read models and the clock. */
export const judgeStores = Effect.fnUntraced(function* (settings: EngineSettings) {
  const file = fileInFolder(settings)
  const folder = file === undefined ? { findings: [], hasData: true, held: false } : yield* judgeFolder(settings, file)
  const redis = yield* judgeRedisOf(settings)
  const hasModels = redis.isUsable && folder.hasData
  const ofLog = settings.eventStoreUrl !== undefined
    ? judgeServer(settings.eventStoreUrl, settings, folder.held, hasModels)
    : folder.hasData
    ? judgeFile(settings, folder.held, redis.isUsable)
    : clock(undefined)
  return [...folder.findings, ...redis.findings, ...(yield* ofLog)]
})
