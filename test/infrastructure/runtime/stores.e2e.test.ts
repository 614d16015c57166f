import { assert, describe, it } from "../../support/it.ts"
import { Context, Effect, Layer, Redacted } from "effect"
import { layerStores } from "../../../infrastructure/runtime/stores.ts"
import { epochKeyOf } from "../../../infrastructure/adapters/stores/redis/keys.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { quotaNaming } from "../../../projections/models/quota.ts"
import { newEvents } from "../../contracts/event-store-events.ts"
import { eventuallyHolds } from "../../support/eventually.ts"
import { startRedisServer } from "../../support/redis-server.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const rates = { rateLimit: 0, rateLimitBurst: 0, repeatsPerDay: 0, failuresPerDay: 0 }

describe("the log in a folder with read models in Redis", () => {
  it.live("admits units 1.5 seconds after Redis lost reservations: the process knows when its appends have ended", function* () {
    const redis = yield* startRedisServer()
    const settings = {
      dataDir: yield* temporaryFolder,
      eventStoreUrl: undefined,
      redisUrl: Redacted.make(redis.url),
      ...rates
    }
    const stores = yield* Layer.build(layerStores(settings))
    yield* Context.get(stores, EventStore).append("a", "no-stream", newEvents(1))
    yield* redis.command("FLUSHALL")
    const epoch = epochKeyOf(quotaNaming.model)
    yield* eventuallyHolds(Effect.map(redis.command("EXISTS", epoch), (found) => found === 1))
    const opens = Number(yield* redis.command("HGET", epoch, "opens"))
    const [seconds] = (yield* redis.command("TIME")) as ReadonlyArray<string>
    // Both times are those of Redis, and the epoch began before the second was read.
    assert.isAtMost(opens - Number(seconds) * 1_000, 1_500 + 1_000)
  })
})
