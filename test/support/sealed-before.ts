import { Effect, Layer } from "effect"
import { rmSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { webhookSecretPurpose } from "../../application/provisioning/branches.ts"
import { contactPurpose } from "../../application/provisioning/directory.ts"
import { accountPurpose, jobPurposes, notePurposes, slipPurposes } from "../../application/sealing/sealed-data.ts"
import { beginning, type Json, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import { recordOf } from "../../domain/events/sealed-record.ts"
import { isSealed, type Sealed } from "../../domain/sealed.ts"
import { layerEventStoreEmbeddedReadOnly } from "../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { eventsFile, modelsFile } from "../../infrastructure/runtime/data-folder.ts"
import { layerKeysReadOnly } from "../../infrastructure/runtime/keys.ts"
import { EventStore } from "../../ports/event-store.ts"
import { Vault } from "../../ports/vault.ts"

const purposes: Readonly<Record<string, string>> = {
  ...slipPurposes,
  ...jobPurposes,
  ...notePurposes,
  contact: contactPurpose,
  details: accountPurpose,
  secret: webhookSecretPurpose
}

const subjectOf = (stream: string): string | undefined => {
  if (stream.startsWith("job-")) return `job:${stream.slice("job-".length)}`
  const [, serviceId, digest] = /^slip-(.*)-([0-9a-f]+)$/u.exec(stream) ?? []
  return serviceId === undefined ? undefined : `slip:${serviceId}:${digest}`
}

/** The log and the keys of a data folder that no service has open. */
export const layerOfFolder = (dataDir: string) =>
  Layer.provideMerge(
    layerKeysReadOnly({ dataDir, eventStoreUrl: undefined, masterKey: undefined, subjectKeysFile: undefined }),
    layerEventStoreEmbeddedReadOnly({ file: eventsFile(dataDir) })
  )

/** All events of a data folder that no service has open. */
export const eventsOfFolder = (dataDir: string) =>
  EventStore.use(({ readAll }) => readAll({ after: beginning, limit: 1_000_000 })).pipe(
    Effect.provide(layerEventStoreEmbeddedReadOnly({ file: eventsFile(dataDir) }))
  )

/** The same value as versions sealed it that bound values to their purpose only. */
export const sealedBefore = Effect.fnUntraced(function* (event: RecordedEvent, name: string, sealed: Sealed) {
  const { open, seal } = yield* Vault
  const purpose = purposes[name] ?? name
  const text = yield* open(purpose, sealed, { record: recordOf(event), position: event.position })
  return yield* seal(purpose, text, subjectOf(event.stream))
})

/** Rewrites the log of a data folder as such a version would have written it, and removes the read models. */
export const asSealedBefore = Effect.fnUntraced(function* (dataDir: string) {
  const changed = yield* Effect.gen(function* () {
    const { readAll } = yield* EventStore
    return yield* Effect.forEach(
      yield* readAll({ after: beginning, limit: 1_000_000 }),
      Effect.fnUntraced(function* (event) {
        const data: { [name: string]: Json } = { ...event.data }
        for (const [name, value] of Object.entries(event.data)) {
          if (isSealed(value)) data[name] = yield* sealedBefore(event, name, value)
        }
        return { data, position: event.position }
      })
    )
  }).pipe(Effect.provide(layerOfFolder(dataDir)))
  changeLog(dataDir, (database) => {
    const update = database.prepare("UPDATE events SET data = ? WHERE position = ?")
    for (const { data, position } of changed) update.run(JSON.stringify(data), position.commit)
  })
  removeModels(dataDir)
})

/** Removes the read models: the next start builds them from the log. */
export const removeModels = (dataDir: string): void => {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(modelsFile(dataDir) + suffix, { force: true })
}

/** Changes the file of a log as a person with access to it can. */
const changeLog = (dataDir: string, change: (database: DatabaseSync) => void): void => {
  const database = new DatabaseSync(eventsFile(dataDir))
  try {
    change(database)
  } finally {
    database.close()
  }
}

/** Adds an event to the end of a stream, in the file of a log: at the end of the log, or at a position that is free. */
export const forgeEvent = (
  dataDir: string,
  { data, position, stream, type }: {
    readonly stream: string
    readonly type: string
    readonly data: Json
    readonly position?: number
  }
): void =>
  changeLog(dataDir, (database) => {
    const add = database.prepare(
      "INSERT INTO streams (name, head) VALUES (?, 0) ON CONFLICT DO UPDATE SET head = head + 1 RETURNING id, head"
    )
    const { head = 0, id = 0 } = add.get(stream) ?? {}
    database.prepare(
      `INSERT INTO events (position, stream_id, revision, event_id, type, data, metadata, recorded_at)
       SELECT ?, ?, ?, randomblob(16), ?, ?, metadata, recorded_at FROM events LIMIT 1`
    ).run(position ?? null, id, head, type, JSON.stringify(data))
  })
