import { Effect, Result } from "effect"
import { existsSync } from "node:fs"
import { beginning, isBefore, type Position } from "../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { modelName } from "../../../projections/engine/model-name.ts"
import { isUsable } from "../../../projections/engine/restore.ts"
import { projections } from "../../../projections/models/all.ts"
import type { StoreSettings } from "../../runtime/stores.ts"
import { copyFile } from "../../adapters/stores/sqlite/read-models/model-copy.ts"
import { openSnapshot } from "../../adapters/stores/sqlite/read-models/snapshot.ts"
import { type Finding, findingsAbout } from "./finding.ts"

const { ok, warn } = findingsAbout("copy of the read models")

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
  const read = yield* Effect.result(Effect.try(() => checkpointsIn(file)))
  if (Result.isFailure(read)) {
    return [warn(`${file} cannot be read: ${String(read.failure.cause)}`, REMOVE)]
  }
  // Read after the checkpoints: a running projector moves them.
  return [findingOf(file, read.success, yield* store.head)]
})

const REMOVE = "stop its process, delete it, and start it"

const checkpointsIn = (file: string): ReadonlyArray<Position> =>
  projections.map((projection) => {
    const snapshot = openSnapshot(file, modelName(projection))
    snapshot.close()
    return snapshot.checkpoint
  })

const findingOf = (file: string, checkpoints: ReadonlyArray<Position>, head: Position): Finding => {
  if (checkpoints.some((checkpoint) => isBefore(head, checkpoint))) {
    return warn(`${file} is ahead of the log, so it was made from a longer one`, REMOVE)
  }
  const part = Math.min(
    ...checkpoints.map((at) => isUsable(at, head) ? 1 : Number(at.commit) / Number(head.commit))
  )
  return ok(
    part === 1
      ? `usable: models that Redis loses are restored from ${file}`
      : `not usable yet: ${file} has ${Math.floor(part * 100)} % of the log. Until its projector has added the rest, `
        + "models that Redis loses are built from the log"
  )
}
