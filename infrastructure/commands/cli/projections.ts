import { Clock, Console, Duration, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { recordAct } from "../../../application/operators/record-act.ts"
import type { RequestIds } from "../../../application/events/handle-command.ts"
import { modelName } from "../../../projections/engine/model-name.ts"
import { formatPosition } from "../../../domain/events/recorded-event.ts"
import { ReadModels } from "../../../ports/read-models.ts"
import { projections as all } from "../../../projections/models/all.ts"
import { compare as compareProjection } from "../../../projections/engine/compare.ts"
import type { Projection } from "../../../projections/engine/projection.ts"
import { positionsOf } from "../../../projections/engine/status.ts"
import { rebuild as rebuildProjection } from "../../../projections/engine/rebuild.ts"
import { readSettings } from "../../platform/settings/settings.ts"
import { type Toned, toned } from "./colors.ts"
import { answerIsNo, cannotRun } from "./exit.ts"
import { jsonFlag } from "./flags.ts"
import { atTarget, printing, runLocalChange, suggestAdminApi } from "./operation.ts"
import { recordReading } from "./record-act.ts"
import { makeProgress, note, print, printFields, printRows, printVerdict, waitFor } from "./output.ts"
import type { DataOf } from "../../web/operators/operations.ts"
import type { Service } from "./request.ts"
import { layerAsIs } from "./stores.ts"

/** The most lines of a difference that are printed. */
const MAX_SHOWN = 5

const name = Argument.Literals("name", all.map((projection) => projection.name)).pipe(
  Argument.withDescription("Name of the projection, see sliptrail projections list")
)

const projectionOf = (name: string) => {
  const found = all.find((projection) => projection.name === name)
  return found === undefined ? Effect.fail(cannotRun(`the projection ${name} does not exist`)) : Effect.succeed(found)
}

const stateOf = (lag: number, isAhead: boolean): Toned => {
  if (isAhead) return toned("bad", "ahead of the log, see sliptrail doctor")
  return lag === 0 ? toned("good", "up to date") : toned("caution", "behind: a running service catches up")
}

const list = printing((found: DataOf<"listProjections">) =>
  printRows({
    name: "name",
    model: "model",
    checkpoint: "checkpoint",
    head: "head",
    lag: "lag",
    state: ({ isAhead, lag }) => stateOf(lag, isAhead)
  }, found)
)(
  "list",
  {},
  () => atTarget(({ call }) => call({ name: "listProjections" }), Effect.provide(positionsOf(all), layerAsIs)),
  "List the read models with their checkpoints and the head of the log"
)

/** Rebuilds the read model in this process. */
const rebuildHere = (name: string) =>
  runLocalChange(Effect.fnUntraced(
    function* (operation: RequestIds) {
      const projection = yield* projectionOf(name)
      yield* recordAct({ _tag: "ProjectionRebuildRequested", projection: name }, operation)
      const started = yield* Clock.currentTimeMillis
      const progress = yield* makeProgress
      const { model, position } = yield* rebuildProjection(
        projection,
        (position, head) =>
          progress.report(
            `${name} at ${formatPosition(position)} of ${formatPosition(head)}`,
            Number(position.commit),
            Number(head.commit)
          )
      )
      const tookMillis = (yield* Clock.currentTimeMillis) - started
      return { name, model, position: formatPosition(position), tookMillis }
    },
    Effect.catchTag("PoisonEvent", ({ message }) => Effect.fail(answerIsNo(message))),
    Effect.scoped
  ))

const rebuild = printing(({ name, position, tookMillis }: DataOf<"rebuildProjection">) =>
  Console.log(`${name} was rebuilt from the log up to ${position} in ${tookMillis} ms`)
)(
  "rebuild",
  { name },
  (params) => {
    const request = { name: "rebuildProjection", params, isLong: true } as const
    return atTarget(
      ({ call }) => waitFor(call(request), `the service rebuilds ${params.name}`),
      suggestAdminApi(request)(rebuildHere(params.name))
    )
  },
  "Rebuild a read model from the log, and replace the current one"
)

/** A comparison as it is printed. A service answers some of the differences and counts all of them. */
interface Compared {
  readonly model: string
  readonly position: string
  readonly lines: number
  readonly surplus: ReadonlyArray<string>
  readonly missing: ReadonlyArray<string>
  readonly surplusCount: number
  readonly missingCount: number
}

const printDifference = Effect.fnUntraced(
  function* ({ missing, missingCount, surplus, surplusCount }: Compared) {
    const shown = [
      ...surplus.slice(0, MAX_SHOWN).map((line) => ["only live", line] as const),
      ...missing.slice(0, MAX_SHOWN).map((line) => ["only replayed", line] as const)
    ]
    yield* printFields(shown)
    const more = surplusCount + missingCount - shown.length
    if (more > 0) yield* note(`… and ${more} more: --json prints up to all of them`)
  }
)

/** Compares the read model in this process. */
const compareHere = (name: string) =>
  Effect.gen(function* () {
    const projection = yield* projectionOf(name)
    yield* recordReading(
      { _tag: "ProjectionComparisonRequested", projection: name },
      "this comparison",
      { name: "compareProjection", params: { name } }
    )
    return yield* Effect.provide(compareModel(projection), layerAsIs)
  })

const compareModel = (projection: Projection) =>
  Effect.gen(function* () {
    const progress = yield* makeProgress
    const { jobRetention } = yield* readSettings
    const { scratchModels } = yield* Effect.promise(() => import("../../runtime/stores.ts"))
    const dump = yield* (yield* ReadModels).dump(modelName(projection))
    const { position, ...comparison } = yield* compareProjection(
      projection,
      yield* scratchModels,
      dump,
      Duration.toMillis(jobRetention),
      (position, head) =>
        progress.report(
          `replayed ${formatPosition(position)} of ${formatPosition(head)}`,
          Number(position.commit),
          Number(head.commit)
        )
    )
    const { missing, surplus } = comparison
    const counts = { surplusCount: surplus.length, missingCount: missing.length }
    return { ...comparison, ...counts, position: formatPosition(position) } satisfies Compared
  }).pipe(
    Effect.catchTag(["AheadOfLog", "PoisonEvent"], ({ message }) => Effect.fail(answerIsNo(message))),
    Effect.scoped
  )

const compareThere = (name: string) => ({ call }: Service) =>
  Effect.map(
    waitFor(call({ name: "compareProjection", params: { name }, isLong: true }), `the service replays ${name}`),
    ({ lines, missing, model, position, surplus }): Compared => ({
      model,
      position,
      lines,
      surplus: surplus.lines,
      missing: missing.lines,
      surplusCount: surplus.count,
      missingCount: missing.count
    })
  )

const compare = Command.make(
  "compare",
  { name, json: jsonFlag },
  Effect.fnUntraced(function* ({ json, name }) {
    const comparison = yield* atTarget(compareThere(name), compareHere(name))
    const { lines, missingCount, model, position, surplusCount } = comparison
    const isSame = surplusCount + missingCount === 0
    yield* print(
      json,
      { ...comparison, isSame },
      () =>
        isSame
          ? printVerdict("good", `${model} equals a replay of the log: ${lines} lines at ${position}`)
          : printDifference(comparison)
    )
    if (!isSame) {
      return yield* answerIsNo(
        `${model} differs from a replay of the log: ${surplusCount} surplus lines, ${missingCount} missing; `
          + `rebuild it with: sliptrail projections rebuild ${name}`
      )
    }
  })
).pipe(Command.withDescription("Compare a read model with a replay of the log; a service may be running"))

export const projections = Command.make("projections").pipe(
  Command.withDescription("Projections, which build the read models from the log"),
  Command.withSubcommands([list, rebuild, compare])
)
