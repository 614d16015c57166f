import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { startServerProcess } from "../../test/support/eventstore-server/process.ts"
import { startRedisServer } from "../../test/support/redis-server.ts"
import { signingKeySetting } from "../../test/support/signing-key.ts"
import { temporaryFolder } from "../../test/support/temporary-folder.ts"
import type { BenchError } from "../figure.ts"
import { type RunningService, startService, untilProjected } from "../measure/service.ts"
import { type ProcessorTime, processorTime } from "../measure/usage.ts"

/** The parts of an installation on shared stores. The log is on the stand-in for EventStoreDB. */
export type Part = "http" | "projector" | "log" | "redis"

export interface Cluster {
  readonly http: ReadonlyArray<RunningService>
  /** The processor time of each part so far, in microseconds; NaN where the system does not report it. */
  readonly times: () => Readonly<Record<Part, number>>
  /** Waits until every read model has reached the end of the log. */
  readonly caughtUp: Effect.Effect<void, BenchError>
}

/** Starts both servers, a projector, and this number of processes with the role `http`. They end with the scope. */
export const startCluster = Effect.fnUntraced(function* (processes: number, profile: string | undefined) {
  const log = yield* startServerProcess("--file", join(yield* temporaryFolder, "log.json"))
  const redis = yield* startRedisServer({ appendonly: true })
  const redisPid = Number(/^process_id:(\d+)/mu.exec(String(yield* redis.command("INFO", "server")))?.[1])
  const env = {
    KURRENTDB_URL: `esdb://127.0.0.1:${log.port}?tls=false`,
    REDIS_URL: redis.url,
    MASTER_KEY: randomBytes(32).toString("base64")
  }
  const start = Effect.fnUntraced(
    function* (roles: string, more: { readonly apiKey?: string; readonly profile?: string }) {
      const signing = roles === "projector" ? { SIGNING_KEY: signingKeySetting() } : {}
      return yield* startService({
        dataDir: yield* temporaryFolder,
        env: { ...env, ...signing, ROLES: roles },
        ...more
      })
    }
  )
  const projector = yield* start("projector", { apiKey: "none" })
  const first = yield* start("http", profile === undefined ? {} : { profile })
  const { apiKey } = first
  const others = yield* Effect.replicateEffect(start("http", { apiKey }), processes - 1)
  const http = [first, ...others]
  const times: Cluster["times"] = () => ({
    http: http.reduce((sum, { pid }) => sum + timeOf(processorTime(pid)), 0),
    projector: timeOf(processorTime(projector.pid)),
    log: timeOf(processorTime(log.pid)),
    redis: timeOf(processorTime(redisPid))
  })
  const cluster: Cluster = { http, times, caughtUp: untilProjected(first.port, { lag: 0, seconds: 60 }) }
  return cluster
})

const timeOf = (time: ProcessorTime | undefined): number => time?.all ?? Number.NaN
