import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { Instance } from "../../ports/leases.ts"
import { ModelCopy } from "../../ports/model-copy.ts"
import { modelCopyIn } from "../adapters/stores/sqlite/read-models/model-copy.ts"
import { closeToOthers, eventsFile, lockFile, makeFolder } from "./data-folder.ts"
import type { StoreSettings } from "./stores.ts"

/** Holds the identity of this process, and its lock. */
const instanceFile = (folder: string): string => join(folder, "instance.db")

/** Takes the identity in a folder until the scope closes; undefined when another process has it. */
export const holdInstance = (folder: string) =>
  makeFolder(folder).pipe(
    Effect.andThen(
      Effect.acquireRelease(lockFile(instanceFile(folder), folder), (lock) => Effect.sync(() => lock.close()))
    ),
    Effect.map((lock) => {
      lock.exec("CREATE TABLE IF NOT EXISTS instance(id TEXT NOT NULL) STRICT")
      const known = lock.prepare("SELECT id FROM instance").get()?.["id"]
      if (typeof known === "string") return known
      const id = randomUUID()
      lock.prepare("INSERT INTO instance(id) VALUES (?)").run(id)
      return id
    }),
    Effect.catch(({ message, reason }) => {
      const without =
        "the work of a killed process waits for up to 30 seconds, and lost read models are rebuilt from the log"
      const why = reason === "in-use" ? `another process uses ${folder}: set another DATA_DIR for this one` : message
      return Effect.as(
        Effect.logInfo(`No identity and no copy of read models: ${why}. Without them, ${without}`),
        undefined
      )
    })
  )

const copiedLog = ({ dataDir, eventStoreUrl }: StoreSettings) =>
  eventStoreUrl === undefined ? { file: eventsFile(dataDir) } : undefined

/**
 * What a process with Redis keeps in its data folder: an identity that survives a restart, and a copy of the read
 * models.
 */
export const layerInstance = (settings: StoreSettings) =>
  settings.redisUrl === undefined
    ? Layer.empty
    : Layer.unwrap(Effect.map(holdInstance(settings.dataDir), (id) =>
      id === undefined ? Layer.empty : Layer.mergeAll(
        Layer.succeed(Instance, id),
        Layer.succeed(ModelCopy, modelCopyIn(settings.dataDir, copiedLog(settings))),
        Layer.effectDiscard(closeToOthers(settings.dataDir))
      )))
