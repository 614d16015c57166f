import { Effect } from "effect"
import { existsSync } from "node:fs"
import { beginning, type Position } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { modelName } from "../../projections/engine/model-name.ts"
import { isUsable } from "../../projections/engine/restore.ts"
import { projections } from "../../projections/models/all.ts"
import type { StoreSettings } from "../runtime/stores.ts"
import { copyFile } from "../stores/sqlite/read-models/model-copy.ts"
import { openSnapshot } from "../stores/sqlite/read-models/snapshot.ts"
import { type Finding, ok, warn } from "./finding.ts"

const ABOUT = "copy of the read models"

/**
 * Checks whether read models that Redis loses would be restored from the copy in the data folder. A folder has none without
 * Redis, and when its process has no role `projector`.
 */
export const checkModelCopy = Effect.fnUntraced(function* ({ dataDir, redisUrl }: StoreSettings) {
  const none: ReadonlyArray<Finding> = []
  if (redisUrl === undefined) return none
  const store = yield* EventStore
  const [first] = yield* store.readAll({ after: beginning, limit: 1 })
  const file = first === undefined ? undefined : copyFile(dataDir, first.id)
  if (file === undefined || !existsSync(file)) return none
  const head = yield* store.head
  return yield* Effect.try(() => [findingOf(file, head)]).pipe(
    Effect.catch(({ cause }) =>
      Effect.succeed([
        warn(ABOUT, `${file} cannot be read: ${String(cause)}`, "stop its process, delete it, and start it")
      ])
    )
  )
})

const findingOf = (file: string, head: Position): Finding => {
  const part = Math.min(...projections.map((projection) => {
    const snapshot = openSnapshot(file, modelName(projection))
    snapshot.close()
    return isUsable(snapshot.checkpoint, head) ? 1 : Number(snapshot.checkpoint.commit) / Number(head.commit)
  }))
  return ok(
    ABOUT,
    part === 1
      ? `usable: models that Redis loses are restored from ${file}`
      : `not usable yet: ${file} has ${Math.floor(part * 100)} % of the log. Until its projector has added the rest, `
        + "models that Redis loses are built from the log"
  )
}
