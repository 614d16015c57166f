import { Effect, Layer } from "effect"
import { availableParallelism } from "node:os"
import { dirname } from "node:path"
import type { Position } from "../../../../domain/events/recorded-event.ts"
import { ModelBuilder } from "../../../../ports/model-builder.ts"
import { ReadModelsError } from "../../../../ports/read-models.ts"
import { startThread, type Thread } from "../../../threads/start-thread.ts"
import type { BuildRequest } from "./build-thread.ts"
import { EmbeddedReadModels } from "./engine.ts"

export interface ModelBuilderOptions {
  /** The file of the log. */
  readonly log: string
  /** The file of the read models. */
  readonly file: string
  /** A shorter log is projected batch by batch: to start a thread takes longer. */
  readonly leastEvents?: number
}

const LEAST_EVENTS = 50_000

/** Threads of one build, if there are as many processors. Each reads the log, and builds a part of the models. */
const MOST_THREADS = 2

/** Builds embedded read models from an embedded log, in threads that end with the build. */
export const layerModelBuilder = (
  { file, leastEvents = LEAST_EVENTS, log }: ModelBuilderOptions
): Layer.Layer<never, never, EmbeddedReadModels> =>
  Layer.effect(
    ModelBuilder,
    Effect.gen(function* () {
      const { duringBuild } = yield* EmbeddedReadModels
      return Effect.fn("buildModels")(function* (models: ReadonlyArray<string>, { commit }: Position) {
        if (commit < BigInt(leastEvents)) return []
        // The temporary files of SQLite need the space of the read models; the folder for temporary files may be in memory.
        process.env["SQLITE_TMPDIR"] ??= dirname(file)
        const request = { log, file, upTo: Number(commit) }
        const parts = inParts(models, Math.min(MOST_THREADS, availableParallelism()))
        const built = yield* duringBuild(
          Effect.forEach(parts, (models) => build({ ...request, models }), { concurrency: "unbounded" })
        )
        return built.flat()
      })
    })
  )

/** Neighbours in the list are in different parts. */
const inParts = (models: ReadonlyArray<string>, count: number): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from({ length: count }, (_, part) => models.filter((_, index) => index % count === part))
    .filter((part) => part.length > 0)

type BuildThread = Thread<undefined, BuildRequest, ReadonlyArray<string>>

/** An interruption ends the thread. Its shadow models stay incomplete, and are cleared before the next build. */
const build = (request: BuildRequest): Effect.Effect<ReadonlyArray<string>, ReadModelsError> =>
  Effect.acquireUseRelease(
    Effect.try({
      try: (): BuildThread =>
        startThread({
          script: new URL("./build-thread.ts", import.meta.url),
          name: "build-models",
          data: undefined,
          // The thread holds a page of events at a time: a young generation of the usual size would only use memory.
          limits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 }
        }),
      catch: failed
    }),
    (thread) =>
      Effect.callback<ReadonlyArray<string>, ReadModelsError>((resume) =>
        thread.ask(
          request,
          (outcome) => resume(outcome instanceof Error ? Effect.fail(failed(outcome)) : Effect.succeed(outcome))
        )
      ),
    (thread) => Effect.promise(() => thread.terminate())
  )

const failed = (cause: unknown) => new ReadModelsError({ operation: "build", reason: "unavailable", cause })
