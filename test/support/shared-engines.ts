import { Effect, Scope } from "effect"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { type ServerProcess, startServerProcess } from "./eventstore-server/process.ts"
import { freePort, type RedisServer, startRedisServer } from "./redis-server.ts"
import { type Env, spawnService } from "./service.ts"
import { signingKeySetting } from "./signing-key.ts"
import { temporaryFolder } from "./temporary-folder.ts"

/** A server for the log and a Redis, and a way to start processes of the service on them. */
export interface SharedEngines {
  readonly redis: RedisServer
  readonly log: {
    /** Sends SIGKILL. */
    readonly kill: Effect.Effect<void>
    /** Starts the server again, on its port and its file. */
    readonly start: Effect.Effect<void>
    readonly signal: (name: "SIGSTOP" | "SIGCONT") => Effect.Effect<void>
    /** What an operator of the server does to a stream: deletes it for ever, until the next append, or its first events. */
    readonly delete: (stream: string) => Effect.Effect<void>
    readonly softDelete: (stream: string) => Effect.Effect<void>
    readonly truncate: (stream: string, before: number) => Effect.Effect<void>
  }
  /** The settings of every process. */
  readonly env: Env
  /** Starts one process of the service. */
  readonly service: (env?: Env) => ReturnType<typeof spawnService>
}

/** Starts both engines as separate processes, with data that survives a kill. They end with the scope. */
export const startSharedEngines: Effect.Effect<SharedEngines, never, Scope.Scope> = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const launch = (port: number) => startServerProcess("--port", String(port), "--file", join(folder, "log.json"))
  const scope = yield* Effect.scope
  // Not a port that the system chooses: until the server starts again, a connection could take it.
  const port = yield* Effect.promise(freePort)
  let log: ServerProcess = yield* launch(port)
  const redis = yield* startRedisServer({ appendonly: true })
  const env: Env = {
    EVENTSTORE_URL: `esdb://127.0.0.1:${port}?tls=false`,
    REDIS_URL: redis.url,
    ALLOW_SANDBOX: "true",
    MASTER_KEY: randomBytes(32).toString("base64"),
    SIGNING_KEY: signingKeySetting(),
    CHECKPOINT_FILE: join(folder, "checkpoints.ndjson")
  }
  return {
    redis,
    log: {
      kill: Effect.suspend(() => log.kill),
      start: Effect.map(Effect.provideService(launch(port), Scope.Scope, scope), (started) => {
        log = started
      }),
      signal: (name) => Effect.suspend(() => log.signal(name)),
      delete: (stream) => Effect.suspend(() => log.delete(stream)),
      softDelete: (stream) => Effect.suspend(() => log.softDelete(stream)),
      truncate: (stream, before) => Effect.suspend(() => log.truncate(stream, before))
    },
    env,
    service: (more = {}) => spawnService(join(folder, "unused"), { ...env, ...more })
  }
})
