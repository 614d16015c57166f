import { Effect, type Scope } from "effect"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import type { LogEngine } from "./log-engine/log-engine.ts"
import { startLogEngine } from "./log-engine/start.ts"
import { type RedisServer, startRedisServer } from "./redis-server.ts"
import { type Env, spawnService } from "./service.ts"
import { signingKeySetting } from "./signing-key.ts"
import { temporaryFolder } from "./temporary-folder.ts"

/** A server for the log and a Redis, and a way to start processes of the service on them. */
export interface SharedEngines {
  readonly redis: RedisServer
  readonly log: LogEngine
  /** The settings of every process. */
  readonly env: Env
  /** Starts one process of the service. */
  readonly service: (env?: Env) => ReturnType<typeof spawnService>
}

/** Starts both engines as separate processes, with data that survives a kill. They end with the scope. */
export const startSharedEngines: Effect.Effect<SharedEngines, never, Scope.Scope> = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const log = yield* startLogEngine
  const redis = yield* startRedisServer({ appendonly: true })
  const env: Env = {
    EVENTSTORE_URL: log.url,
    REDIS_URL: redis.url,
    ALLOW_SANDBOX: "true",
    MASTER_KEY: randomBytes(32).toString("base64"),
    SIGNING_KEY: signingKeySetting(),
    CHECKPOINT_FILE: join(folder, "checkpoints.ndjson")
  }
  return { redis, log, env, service: (more = {}) => spawnService(join(folder, "unused"), { ...env, ...more }) }
})
