import { Effect } from "effect"
import { existsSync, statSync } from "node:fs"
import { modelName } from "../../../projections/engine/model-name.ts"
import { formatPosition, isBefore, type Position } from "../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { ReadModels, type ReadModelsError } from "../../../ports/read-models.ts"
import { describeDifferences, type ModelDifferences } from "../../../projections/engine/model-difference.ts"
import { decidingProjections, projections } from "../../../projections/models/all.ts"
import type { Projection } from "../../../projections/engine/projection.ts"
import { Damaged } from "../../adapters/stores/sqlite/read-models/database.ts"
import { layerReadModelsEmbeddedReadOnly } from "../../adapters/stores/sqlite/read-models/read-models.ts"
import { eventsFile, modelsFile } from "../../runtime/data-folder.ts"
import { differencesAtStart, differencesOfModels, isComparedAtStart } from "../../runtime/model-integrity.ts"
import { comparedAtStart } from "../../adapters/stores/sqlite/read-models/compare-at-start.ts"
import { layerStoresReadOnly, type StoreSettings } from "../../runtime/stores.ts"
import { type Finding, findingsAbout, messageOf, when } from "./finding.ts"

/** A running service updates the read models within this time. */
const WAIT_MILLIS = 2_000

/**
 * The process that updates the read models. `service`: a running service has the data folder open. `none`: no service has
 * it open. `processes`: the processes that share the stores; only progress shows that one of them runs.
 */
type Updater = "service" | "none" | "processes"

const { fail, ok, warn } = findingsAbout("read models")

const aheadOfLog = (at: string, head: Position, { name }: Projection, updater: Updater): Finding =>
  fail(
    `${at}, ahead of the log, which ends at ${formatPosition(head)}: it was built from another, longer log`,
    updater === "processes"
      ? "was the event store restored from a backup, or is REDIS_URL that of another log? Then events are lost: "
        + "restore a newer backup if it exists; otherwise a running projector rebuilds the model, as does "
        + `sliptrail projections rebuild ${name}`
      : "was events.db restored from a backup? Then events are lost: restore a newer one if it exists; otherwise "
        + `stop the service and rebuild the model: sliptrail projections rebuild ${name}`
  )

/** The store defines the unit of the lag: events, or bytes of the server's log. */
const distance = (from: Position, to: Position, { eventStoreUrl }: StoreSettings): string =>
  `${to.commit - from.commit} ${eventStoreUrl === undefined ? "events" : "bytes of the log"} behind`

const behindLog = (lag: string, updater: Updater, hasMoved: boolean): Finding => {
  if (updater === "none") return ok(`${lag}: it is updated when the service starts`)
  if (updater === "service") {
    return warn(
      `${lag}, although a service is running`,
      "run doctor again; if the lag stays, check the log of the service"
    )
  }
  return hasMoved ? warn(`${lag}, and it is being updated`, "run doctor again") : warn(
    `${lag}, and no process updates it: requests that need it are refused`,
    "start a process with projector in its ROLES; if one runs, check its log"
  )
}

const checkModel = Effect.fnUntraced(function* (projection: Projection, updater: Updater, settings: StoreSettings) {
  const models = yield* ReadModels
  const model = modelName(projection)
  // The checkpoint is read before the head, so it is never ahead of a head that is still growing.
  const before = yield* models.checkpoint(model)
  const head = yield* (yield* EventStore).head
  if (updater !== "none") yield* Effect.ignore(models.awaitPosition(model, head, WAIT_MILLIS))
  const checkpoint = yield* models.checkpoint(model)
  const at = `${model} is at ${formatPosition(checkpoint)}`
  if (isBefore(head, before)) return aheadOfLog(at, head, projection, updater)
  if (!isBefore(checkpoint, head)) return ok(`${at}, the head of the log`)
  return behindLog(`${at}, ${distance(checkpoint, head, settings)}`, updater, isBefore(before, checkpoint))
})

const checkAll = (updater: Updater, settings: StoreSettings) =>
  Effect.forEach(projections, (projection) => checkModel(projection, updater, settings), { concurrency: "unbounded" })

/** Some seconds, for a log in a file and for one on a server, which is read over the network. */
const MOST_COMPARED = { file: 512 * 2 ** 20, server: 32n * 2n ** 20n }

/** Whether a comparison of all events would take minutes. The position in the log of a server counts its bytes. */
const isLong = ({ dataDir, eventStoreUrl, redisUrl }: StoreSettings, { commit }: Position): boolean => {
  if (eventStoreUrl !== undefined) return commit > MOST_COMPARED.server
  return redisUrl === undefined
    ? statSync(eventsFile(dataDir)).size > MOST_COMPARED.file
    : BigInt(statSync(eventsFile(dataDir)).size) > MOST_COMPARED.server
}

const differs = (model: ModelDifferences): ReadonlyArray<Finding> =>
  describeDifferences(model).map(({ mend, what }) => fail(what, `find out who can write the read models; ${mend}`))

/** Compares the read models that decide something with the log. Of a long log, only those that need no reading of all of it. */
const checkContent = Effect.fnUntraced(function* (settings: StoreSettings) {
  const isWhole = !isLong(settings, yield* (yield* EventStore).head)
  const compared = isWhole ? decidingProjections : isComparedAtStart(settings) ? comparedAtStart : []
  const names = (projections: ReadonlyArray<Projection>) => projections.map(({ name }) => name).join(", ")
  const others = decidingProjections.filter((projection) => !compared.includes(projection))
  return yield* (isWhole ? differencesOfModels(settings) : differencesAtStart(settings)).pipe(
    Effect.map((found): ReadonlyArray<Finding> => [
      ...found.flatMap(differs),
      ...when(found.length === 0 && compared.length > 0, ok(`${names(compared)} follow from the log`)),
      ...when(others.length > 0, ok(`the log is long: sliptrail trail verify compares ${names(others)}`))
    ]),
    Effect.catchTag(
      "NotCompared",
      ({ message }) => Effect.succeed([warn(message, "check the other findings, then run doctor again")])
    )
  )
})

const checkPositionsAndContent = (updater: Updater, settings: StoreSettings) =>
  Effect.zipWith(
    checkAll(updater, settings),
    checkContent(settings),
    (positions, content) => [...positions, ...content]
  )

const unreadable = (file: string, held: boolean, { cause }: ReadModelsError): Finding => {
  const message = `${file} cannot be read: ${messageOf(cause)}`
  if (cause instanceof Damaged && cause.isForeign) {
    return fail(message, "keep a copy of it, then restart the service: it builds the read models from the log again")
  }
  return held
    ? fail(message, "restart the service: it rebuilds them from the log")
    : warn(message, "nothing is lost: the service rebuilds them from the log when it starts")
}

const checkFile = (settings: StoreSettings, held: boolean) => {
  const file = modelsFile(settings.dataDir)
  return existsSync(file) || held
    ? checkPositionsAndContent(held ? "service" : "none", settings).pipe(
      Effect.provide(layerReadModelsEmbeddedReadOnly({ file })),
      Effect.catchTag("ReadModelsError", (error) => Effect.succeed([unreadable(file, held, error)]))
    )
    : Effect.succeed([ok("do not exist yet: the service builds them from the log when it starts")])
}

const checkShared = (settings: StoreSettings) =>
  checkPositionsAndContent("processes", settings).pipe(
    Effect.provide(layerStoresReadOnly(settings)),
    Effect.catchTag("ReadModelsError", ({ cause, operation }) =>
      Effect.succeed([
        fail(`cannot be read (${operation}): ${messageOf(cause)}`, "check the findings about redis")
      ]))
  )

/**
 * Compares the checkpoint of each read model with the head of the log, and the content of those that decide something with
 * the events. `held`: a service has the data folder open.
 */
export const checkReadModels = (settings: StoreSettings, held: boolean) =>
  Effect.suspend(() => settings.redisUrl === undefined ? checkFile(settings, held) : checkShared(settings))
