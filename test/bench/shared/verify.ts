import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { startServerProcess } from "../../support/eventstore-server/process.ts"
import { startRedisServer } from "../../support/redis-server.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import { infoFinding } from "../figure.ts"
import { makeLoad, summary, throughputOf } from "../http/laps.ts"
import { startService } from "../measure/service.ts"
import type { Options } from "../options.ts"

/** The most verifications in a lap. The test server for the log is not fast enough for more. */
const MAX_REQUESTS = 2_000

/** Compares verifications on the test server and a Redis that flushes every write with those on embedded stores. */
export const measureVerify = Effect.fnUntraced(function* (options: Options) {
  const folder = yield* temporaryFolder
  const log = yield* startServerProcess("--file", join(folder, "log.json"))
  const redis = yield* startRedisServer({ appendonly: true })
  const shared = yield* startService({
    dataDir: yield* temporaryFolder,
    profile: options.profile,
    env: {
      EVENTSTORE_URL: `esdb://127.0.0.1:${log.port}?tls=false`,
      REDIS_URL: redis.url,
      MASTER_KEY: randomBytes(32).toString("base64")
    }
  })
  const embedded = yield* startService({ dataDir: yield* temporaryFolder })
  const load = yield* makeLoad
  const laps = yield* load.compare(shared, embedded, { ...options, requests: Math.min(options.requests, MAX_REQUESTS) })
  return [
    infoFinding({
      what: `verifications, ${options.connections} connections`,
      measured: `${summary(laps.a)}, all on this machine`,
      baseline: `${summary(laps.b)} embedded`
    }, throughputOf(laps))
  ]
})
