import { Effect } from "effect"
import { existsSync } from "node:fs"
import { modelName } from "../../../application/models/model-name.ts"
import { EventStore, formatPosition, isBehind } from "../../../application/ports/event-store.ts"
import { ReadModels, type ReadModelsError } from "../../../application/ports/read-models.ts"
import type { Projection } from "../../../projections/projection.ts"
import { layerReadModelsEmbeddedReadOnly } from "../../readmodels/embedded/read-models.ts"
import { modelsFile } from "../../runtime/data-folder.ts"
import { projections } from "../../runtime/engines.ts"
import { fail, type Finding, ok, warn } from "./finding.ts"

/** A running service catches up within this. */
const PATIENCE_MILLIS = 2_000

const judgeModel = Effect.fnUntraced(function*(projection: Projection, held: boolean) {
  const head = yield* (yield* EventStore).head
  const models = yield* ReadModels
  const model = modelName(projection)
  if (held) yield* Effect.ignore(models.awaitPosition(model, head, PATIENCE_MILLIS))
  const checkpoint = yield* models.checkpoint(model)
  const at = `${model} is at ${formatPosition(checkpoint)}`
  if (isBehind(head, checkpoint)) {
    return fail(
      "read models",
      `${at}, ahead of the log, which ends at ${formatPosition(head)}: it was built from another, longer log`,
      "was events.db restored from a backup? Then events are lost: restore a newer one if there is one; otherwise " +
        `stop the service and build the model again: sliptrail projections rebuild ${projection.name}`
    )
  }
  if (!isBehind(checkpoint, head)) return ok("read models", `${at}, where the log ends`)
  const lag = `${at}, ${head.commit - checkpoint.commit} events behind the log`
  return held
    ? warn("read models", `${lag}, beside a running service`, "look again; if it stays, see the service's log")
    : ok("read models", `${lag}: it catches up when the service starts`)
})

const unreadable = (file: string, held: boolean, { cause }: ReadModelsError): Finding => {
  const message = `${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`
  return held
    ? fail("read models", message, "start the service again: it builds them anew from the log")
    : warn("read models", message, "nothing is lost: the service builds them anew from the log when it starts")
}

/** Each read model's checkpoint, held against the end of the log. */
export const judgeReadModels = Effect.fnUntraced(function*(folder: string, held: boolean) {
  const file = modelsFile(folder)
  if (!existsSync(file) && !held) {
    return [ok("read models", "not there yet: the service builds them from the log when it starts")]
  }
  const judge = (projection: Projection) => judgeModel(projection, held)
  return yield* Effect.forEach(projections, judge, { concurrency: "unbounded" }).pipe(
    Effect.provide(layerReadModelsEmbeddedReadOnly({ file })),
    Effect.catchTag("ReadModelsError", (error) => Effect.succeed([unreadable(file, held, error)]))
  )
})
