import { Clock, Console, Duration, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { modelName } from "../../projections/engine/model-name.ts"
import { formatPosition } from "../../domain/events/recorded-event.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { projections as all } from "../../projections/models/all.ts"
import { compare as compareProjection, type Comparison } from "../../projections/engine/compare.ts"
import { positionsOf } from "../../projections/engine/status.ts"
import { rebuild as rebuildProjection } from "../../projections/engine/rebuild.ts"
import { scratchModels } from "../runtime/stores.ts"
import { readSettings } from "../settings/settings.ts"
import { answerIsNo, cannotRun } from "./exit.ts"
import { jsonFlag } from "./flags.ts"
import { suggestAdminApi } from "./operation.ts"
import { makeProgress, note, print, printFields, printTable } from "./output.ts"
import { layerAsIs, layerChange } from "./stores.ts"

/** The most lines of a difference that are printed. */
const MAX_SHOWN = 5

const name = Argument.Literals("name", all.map((projection) => projection.name)).pipe(
  Argument.withDescription("Name of the projection, see sliptrail projections list")
)

const projectionOf = (name: string) => {
  const found = all.find((projection) => projection.name === name)
  return found === undefined ? Effect.fail(cannotRun(`the projection ${name} does not exist`)) : Effect.succeed(found)
}

const list = Command.make(
  "list",
  { json: jsonFlag },
  Effect.fnUntraced(function* ({ json }) {
    const found = yield* Effect.provide(positionsOf(all), layerAsIs)
    const stateOf = (lag: number, isAhead: boolean): string => {
      if (isAhead) return "ahead of the log, see sliptrail doctor"
      return lag === 0 ? "up to date" : "behind: a running service catches up"
    }
    yield* print(json, found, () =>
      printTable(
        ["name", "model", "checkpoint", "head", "lag", "state"],
        found.map((
          { checkpoint, head, isAhead, lag, model, name }
        ) => [name, model, checkpoint, head, String(lag), stateOf(lag, isAhead)])
      ))
  })
).pipe(Command.withDescription("List the read models with their checkpoints and the head of the log"))

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
        (position, head) => progress.report(`${name} at ${formatPosition(position)} of ${formatPosition(head)}`)
      )
    }).pipe(
      Effect.catchTag("NotProjected", ({ message }) => Effect.fail(answerIsNo(message))),
      Effect.scoped,
      Effect.provide(layerChange),
      suggestAdminApi(`POST /projections/${name}/rebuild`)
    )
    const tookMillis = (yield* Clock.currentTimeMillis) - started
    yield* print(
      json,
      { name, model, position: formatPosition(position), tookMillis },
      () => Console.log(`${name} was rebuilt from the log up to ${formatPosition(position)} in ${tookMillis} ms`)
    )
  })
).pipe(
  Command.withDescription("Rebuild a read model from the log, and replace the current one")
)

const printDifference = Effect.fnUntraced(function* ({ missing, surplus }: Comparison) {
  yield* printFields([
    ...surplus.slice(0, MAX_SHOWN).map((line) => ["only live", line] as const),
    ...missing.slice(0, MAX_SHOWN).map((line) => ["only replayed", line] as const)
  ])
  const more = Math.max(0, surplus.length - MAX_SHOWN) + Math.max(0, missing.length - MAX_SHOWN)
  if (more > 0) yield* note(`… and ${more} more: --json prints all of them`)
})

const compare = Command.make(
  "compare",
  { name, json: jsonFlag },
  Effect.fnUntraced(function* ({ json, name }) {
    const projection = yield* projectionOf(name)
    const comparison = yield* Effect.gen(function* () {
      const progress = yield* makeProgress
      const { jobRetention } = yield* readSettings
      const dump = yield* (yield* ReadModels).dump(modelName(projection))
      return yield* compareProjection(
        projection,
        yield* scratchModels,
        dump,
        Duration.toMillis(jobRetention),
        (position, head) => progress.report(`replayed ${formatPosition(position)} of ${formatPosition(head)}`)
      )
    }).pipe(
      Effect.catchTag(["AheadOfLog", "NotProjected"], ({ message }) => Effect.fail(answerIsNo(message))),
      Effect.scoped,
      Effect.provide(layerAsIs)
    )
    const { lines, missing, model, position, surplus } = comparison
    const isSame = surplus.length + missing.length === 0
    const result = { ...comparison, position: formatPosition(position), isSame }
    yield* print(
      json,
      result,
      () =>
        isSame
          ? Console.log(`${model} equals a replay of the log: ${lines} lines at ${formatPosition(position)}`)
          : printDifference(comparison)
    )
    if (!isSame) {
      return yield* answerIsNo(
        `${model} differs from a replay of the log: ${surplus.length} surplus lines, ${missing.length} missing; `
          + `rebuild it with: sliptrail projections rebuild ${name}`
      )
    }
  })
).pipe(Command.withDescription("Compare a read model with a replay of the log; a service may be running"))

export const projections = Command.make("projections").pipe(
  Command.withDescription("Projections, which build the read models from the log"),
  Command.withSubcommands([list, rebuild, compare])
)
