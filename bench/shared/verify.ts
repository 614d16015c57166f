import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { startServerProcess } from "../../test/support/eventstore-server/process.ts"
import { startRedisServer } from "../../test/support/redis-server.ts"
import { temporaryFolder } from "../../test/support/temporary-folder.ts"
import { infoFinding } from "../figure.ts"
import { makeLoad, summary, throughputOf } from "../http/laps.ts"
import { startService } from "../measure/service.ts"
import type { Options } from "../options.ts"
import { comparedWithPeer, startPeer } from "../peers/start-peer.ts"

/** The most verifications in a lap. The test server for the log is not fast enough for more. */
const MAX_REQUESTS = 2_000

/**
 * Compares verifications on the test server and a Redis that flushes every write with those of a peer on the same
 * servers, and with those on embedded stores.
 */
export const measureVerify = Effect.fnUntraced(function* (options: Options) {
  const folder = yield* temporaryFolder
  const log = yield* startServerProcess("--file", join(folder, "log.json"))
  const redis = yield* startRedisServer({ appendonly: true })
  const eventStoreUrl = `esdb://127.0.0.1:${log.port}?tls=false`
  const shared = yield* startService({
    dataDir: yield* temporaryFolder,
    profile: options.profile,
    env: {
      EVENTSTORE_URL: eventStoreUrl,
      REDIS_URL: redis.url,
      MASTER_KEY: randomBytes(32).toString("base64")
    }
  })
  const peer = yield* startPeer({ eventStoreUrl, redisUrl: redis.url })
  const embedded = yield* startService({ dataDir: yield* temporaryFolder })
  const load = yield* makeLoad
  const requests = Math.min(options.requests, MAX_REQUESTS)
  const laps = yield* load.alternate({ shared, peer, embedded }, { ...options, requests })
  return [
    ...comparedWithPeer(
      {
        name: "fastify, @eventstore/db-client and ioredis",
        connections: options.connections,
        target: { atLeast: 1, floor: 0.8 }
      },
      { a: laps.shared, b: laps.peer }
    ),
    infoFinding({
      what: "verifications, all on this machine",
      measured: summary(laps.shared),
      baseline: `${summary(laps.embedded)} embedded`
    }, throughputOf({ a: laps.shared, b: laps.embedded }))
  ]
})
