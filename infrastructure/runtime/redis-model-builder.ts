import { Effect, Layer, Redacted } from "effect"
import { formatPosition, type Position } from "../../domain/events/recorded-event.ts"
import { ModelBuilder, type ModelGroups, type OnBuilt } from "../../ports/model-builder.ts"
import { ReadModelsError } from "../../ports/read-models.ts"
import { scopedThread } from "../platform/threads/ask-thread.ts"
import type { RedisBuildData, RedisBuildRequest } from "./redis-build-thread.ts"

export interface RedisBuilderOptions {
  /** The file of an embedded log, or the connection string of the server that has the log. */
  readonly log: { readonly file: string } | { readonly connectionString: Redacted.Redacted }
  readonly redisUrl: Redacted.Redacted
  /** A log that ends before this position is projected batch by batch: to start a thread takes longer. */
  readonly leastCommit?: bigint
  /** How long an answer of Redis may take, in milliseconds; 1 second. */
  readonly redisCommandMillis?: number
}

/** Positions of an embedded log count events, those of a server bytes. */
const LEAST = { events: 50_000n, bytes: 64_000_000n }

/** Builds read models in Redis from the log, in a thread that ends with the build. */
export const layerModelBuilderRedis = (
  { leastCommit, log, redisCommandMillis, redisUrl }: RedisBuilderOptions
): Layer.Layer<never> => {
  const least = leastCommit ?? ("file" in log ? LEAST.events : LEAST.bytes)
  return Layer.succeed(ModelBuilder, {
    isLongEnough: ({ commit }) => commit >= least,
    build: Effect.fn("buildModels")(function* (groups: ModelGroups, upTo: Position, onBuilt: OnBuilt) {
      const { ask } = yield* startBuilder({
        log: "file" in log ? log : { connectionString: Redacted.value(log.connectionString) },
        redisUrl: Redacted.value(redisUrl),
        redisCommandMillis
      })
      // One pass over a file for each group: Redis is faster when fewer sets grow at once. A server takes longer to read the
      // log than Redis takes for all writes, so one pass over it has all models.
      const passes = "file" in log ? groups : [groups.flat()]
      for (const models of passes) {
        const built = yield* ask({ models, upTo: formatPosition(upTo) })
        yield* Effect.forEach(models.filter((model) => built.includes(model)), onBuilt)
      }
    }, Effect.scoped)
  })
}

/** An interruption ends the thread. Its shadow models stay incomplete, and are cleared by the next build. */
const startBuilder = (data: RedisBuildData) =>
  scopedThread<RedisBuildRequest, ReadonlyArray<string>, ReadModelsError>({
    script: new URL("./redis-build-thread.ts", import.meta.url),
    name: "build-models",
    data,
    limits: { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 256 }
  }, failed)

const failed = (cause: unknown) => new ReadModelsError({ operation: "build", reason: "unavailable", cause })
