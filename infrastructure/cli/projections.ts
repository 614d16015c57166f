import { Clock, Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { modelName } from "../../application/models/model-name.ts"
import { EventStore, formatPosition, isBehind } from "../../application/ports/event-store.ts"
import { ReadModels } from "../../application/ports/read-models.ts"
import { compare as compareProjection, type Comparison } from "../../projections/compare.ts"
import { Projector } from "../../projections/projector.ts"
import { isHeld } from "../runtime/data-folder.ts"
import { layerStoresReadOnly, projections as all } from "../runtime/engines.ts"
import { settings } from "../settings.ts"
import { answerIsNo, cannotRun } from "./exit.ts"
import { jsonFlag } from "./flags.ts"
import { liveAndFresh } from "./model-copy.ts"
import { note, print, printFields, printTable } from "./output.ts"
import { makeProgress } from "./progress.ts"
import { layerChanging } from "./reading.ts"

/** Lines of a difference that are shown to a person. */
const SHOWN = 5

const name = Argument.Literals("name", all.map((projection) => projection.name)).pipe(
  Argument.withDescription("A projection, see sliptrail projections list")
)

const projectionOf = (name: string) => {
  const found = all.find((projection) => projection.name === name)
  return found === undefined ? Effect.fail(cannotRun(`there is no projection ${name}`)) : Effect.succeed(found)
}

/** The data folder, which must be there; whether a service has it open does not matter. */
const existingFolder = Effect.gen(function*() {
  const dataDir = yield* settings.dataDir.config
  return { dataDir, held: yield* isHeld(dataDir) }
})

const positions = Effect.gen(function*() {
  const head = yield* (yield* EventStore).head
  const models = yield* ReadModels
  return yield* Effect.forEach(all, Effect.fnUntraced(function*(projection) {
    const model = modelName(projection)
    const checkpoint = yield* models.checkpoint(model)
    return {
      name: projection.name,
      model,
      checkpoint: formatPosition(checkpoint),
      head: formatPosition(head),
      lag: Number(head.commit - checkpoint.commit),
      isAhead: isBehind(head, checkpoint)
    }
  }))
})

const list = Command.make("list", { json: jsonFlag }, Effect.fnUntraced(function*({ json }) {
  const { dataDir, held } = yield* existingFolder
  const found = yield* Effect.provide(positions, layerStoresReadOnly({ dataDir }))
  const inWords = (lag: number, isAhead: boolean): string => {
    if (isAhead) return "ahead of the log, see sliptrail doctor"
    if (lag === 0) return "up to date"
    return held ? "catching up" : "catches up when the service starts"
  }
  yield* print(json, found, () =>
    printTable(
      ["name", "model", "checkpoint", "head", "lag", "state"],
      found.map(({ checkpoint, head, isAhead, lag, model, name }) =>
        [name, model, checkpoint, head, String(lag), inWords(lag, isAhead)])
    ))
})).pipe(Command.withDescription("List the projections: how far each read model is, and where the log ends"))

/** Returns when the model has reached the end of the log; fails when the projection stops before. */
const untilCaughtUp = Effect.fnUntraced(function*(name: string) {
  const progress = yield* makeProgress
  const models = yield* ReadModels
  const head = yield* (yield* EventStore).head
  while (true) {
    const status = (yield* (yield* Projector).status).find((one) => one.name === name)
    if (status === undefined) return yield* cannotRun(`there is no projection ${name}`)
    if (status.state === "failed") return yield* answerIsNo(`the projection ${name} stopped: ${status.error}`)
    yield* progress.say(`${name} at ${formatPosition(status.checkpoint)} of ${formatPosition(head)}`)
    const reached = yield* models.awaitPosition(status.model, head, LOOK_MILLIS).pipe(
      Effect.as(true),
      Effect.catchIf(({ reason }) => reason === "behind", () => Effect.succeed(false))
    )
    if (reached) return { model: status.model, position: head }
  }
})

const LOOK_MILLIS = 200

const rebuild = Command.make("rebuild", { name, json: jsonFlag }, Effect.fnUntraced(function*({ json, name }) {
  const started = yield* Clock.currentTimeMillis
  const { model, position } = yield* Effect.gen(function*() {
    yield* (yield* Projector).rebuild(name)
    return yield* untilCaughtUp(name)
  }).pipe(Effect.scoped, Effect.provide(layerChanging))
  const tookMillis = (yield* Clock.currentTimeMillis) - started
  yield* print(json, { name, model, position: formatPosition(position), tookMillis }, () =>
    Console.log(`${name} was rebuilt from the log up to ${formatPosition(position)} in ${tookMillis} ms`))
})).pipe(Command.withDescription("Forget a read model and build it again from the log"))

const explain = Effect.fnUntraced(function*({ missing, surplus }: Comparison) {
  yield* printFields([
    ...surplus.slice(0, SHOWN).map((line) => ["only live", line] as const),
    ...missing.slice(0, SHOWN).map((line) => ["only replayed", line] as const)
  ])
  const more = Math.max(0, surplus.length - SHOWN) + Math.max(0, missing.length - SHOWN)
  if (more > 0) yield* note(`… and ${more} more; all of them with --json`)
})

const compare = Command.make("compare", { name, json: jsonFlag }, Effect.fnUntraced(function*({ json, name }) {
  const { dataDir } = yield* existingFolder
  const projection = yield* projectionOf(name)
  const comparison = yield* Effect.gen(function*() {
    const progress = yield* makeProgress
    return yield* compareProjection(projection, yield* liveAndFresh(dataDir), (done, of) =>
      progress.say(`replayed ${formatPosition(done)} of ${formatPosition(of)}`))
  }).pipe(
    Effect.catchTag(["AheadOfLog", "NotProjected"], ({ message }) => Effect.fail(answerIsNo(message))),
    Effect.scoped,
    Effect.provide(layerStoresReadOnly({ dataDir }))
  )
  const { lines, missing, model, position, surplus } = comparison
  const isSame = surplus.length + missing.length === 0
  const told = { ...comparison, position: formatPosition(position), isSame }
  yield* print(json, told, () =>
    isSame
      ? Console.log(`${model} holds exactly what a replay gives: ${lines} lines at ${formatPosition(position)}`)
      : explain(comparison))
  if (!isSame) {
    return yield* answerIsNo(
      `${model} differs from a replay: ${surplus.length} lines too many, ${missing.length} missing; ` +
        `build it again with: sliptrail projections rebuild ${name}`
    )
  }
})).pipe(Command.withDescription("Hold a read model against a fresh replay of the log, also beside a running service"))

export const projections = Command.make("projections").pipe(
  Command.withDescription("Read models, which the projections build from the log"),
  Command.withSubcommands([list, rebuild, compare])
)
