import { Effect } from "effect"
import { existsSync } from "node:fs"
import { modelName } from "../../projections/engine/model-name.ts"
import { formatPosition, isBefore, type Position } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { ReadModels, type ReadModelsError } from "../../ports/read-models.ts"
import { projections } from "../../projections/models/all.ts"
import type { Projection } from "../../projections/engine/projection.ts"
import { layerReadModelsEmbeddedReadOnly } from "../stores/sqlite/read-models/read-models.ts"
import { modelsFile } from "../runtime/data-folder.ts"
import { layerStoresReadOnly, type StoreSettings } from "../runtime/stores.ts"
import { fail, type Finding, ok, warn } from "./finding.ts"

/** A running service catches up within this. */
const PATIENCE_MILLIS = 2_000

/**
 * Who keeps the read models up to date: `service`, which has the folder open; `nobody`, no service has it open;
 * `processes`, any of those that share them, and only their effect can be seen.
 */
type Keeper = "service" | "nobody" | "processes"

const ABOUT = "read models"

const aheadOfLog = (at: string, head: Position, { name }: Projection, keeper: Keeper): Finding =>
  fail(
    ABOUT,
    `${at}, ahead of the log, which ends at ${formatPosition(head)}: it was built from another, longer log`,
    keeper === "processes"
      ? "was the event store restored from a backup, or is REDIS_URL that of another log? Then events are lost: "
        + "restore a newer backup if there is one; otherwise a running projector builds the model again by itself, as "
        + `does sliptrail projections rebuild ${name}`
      : "was events.db restored from a backup? Then events are lost: restore a newer one if there is one; otherwise "
        + `stop the service and build the model again: sliptrail projections rebuild ${name}`
  )

/** How the lag is counted is up to the store: events, or bytes of the server's log. */
const distance = (from: Position, to: Position, { eventStoreUrl }: StoreSettings): string =>
  `${to.commit - from.commit} ${eventStoreUrl === undefined ? "events" : "bytes of the log"} behind`

const behindLog = (lag: string, keeper: Keeper, hasMoved: boolean): Finding => {
  if (keeper === "nobody") return ok(ABOUT, `${lag}: it catches up when the service starts`)
  if (keeper === "service") {
    return warn(ABOUT, `${lag}, beside a running service`, "look again; if it stays, see the service's log")
  }
  return hasMoved ? warn(ABOUT, `${lag}, and catching up`, "look again") : warn(
    ABOUT,
    `${lag}, and nobody keeps it up to date: requests that need it are refused`,
    "start a process with projector among its ROLES; if one runs, see its log"
  )
}

const judgeModel = Effect.fnUntraced(function* (projection: Projection, keeper: Keeper, settings: StoreSettings) {
  const models = yield* ReadModels
  const model = modelName(projection)
  // In this order: a checkpoint that was read before the head can't be beyond it.
  const before = yield* models.checkpoint(model)
  const head = yield* (yield* EventStore).head
  if (keeper !== "nobody") yield* Effect.ignore(models.awaitPosition(model, head, PATIENCE_MILLIS))
  const checkpoint = yield* models.checkpoint(model)
  const at = `${model} is at ${formatPosition(checkpoint)}`
  if (isBefore(head, before)) return aheadOfLog(at, head, projection, keeper)
  if (!isBefore(checkpoint, head)) return ok(ABOUT, `${at}, where the log ends`)
  return behindLog(`${at}, ${distance(checkpoint, head, settings)}`, keeper, isBefore(before, checkpoint))
})

const judgeAll = (keeper: Keeper, settings: StoreSettings) =>
  Effect.forEach(projections, (projection) => judgeModel(projection, keeper, settings), { concurrency: "unbounded" })

const told = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

const unreadable = (file: string, held: boolean, { cause }: ReadModelsError): Finding => {
  const message = `${file} cannot be read: ${told(cause)}`
  return held
    ? fail(ABOUT, message, "start the service again: it builds them anew from the log")
    : warn(ABOUT, message, "nothing is lost: the service builds them anew from the log when it starts")
}

const judgeFile = (settings: StoreSettings, held: boolean) => {
  const file = modelsFile(settings.dataDir)
  return existsSync(file) || held
    ? judgeAll(held ? "service" : "nobody", settings).pipe(
      Effect.provide(layerReadModelsEmbeddedReadOnly({ file })),
      Effect.catchTag("ReadModelsError", (error) => Effect.succeed([unreadable(file, held, error)]))
    )
    : Effect.succeed([ok(ABOUT, "not there yet: the service builds them from the log when it starts")])
}

const judgeShared = (settings: StoreSettings) =>
  judgeAll("processes", settings).pipe(
    Effect.provide(layerStoresReadOnly(settings)),
    Effect.catchTag("ReadModelsError", ({ cause, operation }) =>
      Effect.succeed([fail(ABOUT, `cannot be read (${operation}): ${told(cause)}`, "see what is said of redis")]))
  )

/** Each read model's checkpoint, held against the end of the log. `held`: a service has the data folder open. */
export const judgeReadModels = (settings: StoreSettings, held: boolean) =>
  Effect.suspend(() => settings.redisUrl === undefined ? judgeFile(settings, held) : judgeShared(settings))
