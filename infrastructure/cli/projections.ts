import { Clock, Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { modelName } from "../../projections/engine/model-name.ts"
import { formatPosition } from "../../domain/events/recorded-event.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { projections as all } from "../../projections/models/all.ts"
import { compare as compareProjection, type Comparison } from "../../projections/engine/compare.ts"
import { positionsOf } from "../../projections/engine/positions.ts"
import { rebuild as rebuildProjection } from "../../projections/engine/rebuild.ts"
import { scratchModels } from "../runtime/scratch-models.ts"
import { answerIsNo, cannotRun } from "./exit.ts"
import { jsonFlag } from "./flags.ts"
import { orByAdminApi } from "./operation.ts"
import { note, print, printFields, printTable } from "./output.ts"
import { makeProgress } from "./progress.ts"
import { layerAsTheyAre, layerChanging } from "./reading.ts"

/** Lines of a difference that are shown to a person. */
const SHOWN = 5

const name = Argument.Literals("name", all.map((projection) => projection.name)).pipe(
  Argument.withDescription("A projection, see sliptrail projections list")
)

const projectionOf = (name: string) => {
  const found = all.find((projection) => projection.name === name)
  return found === undefined ? Effect.fail(cannotRun(`there is no projection ${name}`)) : Effect.succeed(found)
}

const list = Command.make(
  "list",
  { json: jsonFlag },
  Effect.fnUntraced(function* ({ json }) {
    const found = yield* Effect.provide(positionsOf(all), layerAsTheyAre)
    const inWords = (lag: number, isAhead: boolean): string => {
      if (isAhead) return "ahead of the log, see sliptrail doctor"
      return lag === 0 ? "up to date" : "behind: a running service catches up"
    }
    yield* print(json, found, () =>
      printTable(
        ["name", "model", "checkpoint", "head", "lag", "state"],
        found.map((
          { checkpoint, head, isAhead, lag, model, name }
        ) => [name, model, checkpoint, head, String(lag), inWords(lag, isAhead)])
      ))
  })
).pipe(Command.withDescription("List the projections: how far each read model is, and where the log ends"))

const rebuild = Command.make(
  "rebuild",
  { name, json: jsonFlag },
  Effect.fnUntraced(function* ({ json, name }) {
    const started = yield* Clock.currentTimeMillis
    const projection = yield* projectionOf(name)
    const { model, position } = yield* Effect.gen(function* () {
      const progress = yield* makeProgress
      return yield* rebuildProjection(
        projection,
        (done, of) => progress.say(`${name} at ${formatPosition(done)} of ${formatPosition(of)}`)
      )
    }).pipe(
      Effect.catchTag("NotProjected", ({ message }) => Effect.fail(answerIsNo(message))),
      Effect.scoped,
      Effect.provide(layerChanging),
      orByAdminApi(`POST /projections/${name}/rebuild`)
    )
    const tookMillis = (yield* Clock.currentTimeMillis) - started
    yield* print(
      json,
      { name, model, position: formatPosition(position), tookMillis },
      () => Console.log(`${name} was rebuilt from the log up to ${formatPosition(position)} in ${tookMillis} ms`)
    )
  })
).pipe(
  Command.withDescription("Build a read model anew from the log, and put it in the place of the one that is there")
)

const explain = Effect.fnUntraced(function* ({ missing, surplus }: Comparison) {
  yield* printFields([
    ...surplus.slice(0, SHOWN).map((line) => ["only live", line] as const),
    ...missing.slice(0, SHOWN).map((line) => ["only replayed", line] as const)
  ])
  const more = Math.max(0, surplus.length - SHOWN) + Math.max(0, missing.length - SHOWN)
  if (more > 0) yield* note(`… and ${more} more; all of them with --json`)
})

const compare = Command.make(
  "compare",
  { name, json: jsonFlag },
  Effect.fnUntraced(function* ({ json, name }) {
    const projection = yield* projectionOf(name)
    const comparison = yield* Effect.gen(function* () {
      const progress = yield* makeProgress
      const dump = yield* (yield* ReadModels).dump(modelName(projection))
      return yield* compareProjection(
        projection,
        yield* scratchModels,
        dump,
        (done, of) => progress.say(`replayed ${formatPosition(done)} of ${formatPosition(of)}`)
      )
    }).pipe(
      Effect.catchTag(["AheadOfLog", "NotProjected"], ({ message }) => Effect.fail(answerIsNo(message))),
      Effect.scoped,
      Effect.provide(layerAsTheyAre)
    )
    const { lines, missing, model, position, surplus } = comparison
    const isSame = surplus.length + missing.length === 0
    const told = { ...comparison, position: formatPosition(position), isSame }
    yield* print(
      json,
      told,
      () =>
        isSame
          ? Console.log(`${model} holds exactly what a replay gives: ${lines} lines at ${formatPosition(position)}`)
          : explain(comparison)
    )
    if (!isSame) {
      return yield* answerIsNo(
        `${model} differs from a replay: ${surplus.length} lines too many, ${missing.length} missing; `
          + `build it again with: sliptrail projections rebuild ${name}`
      )
    }
  })
).pipe(Command.withDescription("Hold a read model against a fresh replay of the log, also beside a running service"))

export const projections = Command.make("projections").pipe(
  Command.withDescription("Read models, which the projections build from the log"),
  Command.withSubcommands([list, rebuild, compare])
)
