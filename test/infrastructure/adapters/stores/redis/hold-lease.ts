import { NodeRuntime } from "@effect/platform-node"
import { Effect, Layer, Redacted } from "effect"
import { writeSync } from "node:fs"
import { Leases } from "../../../../../ports/leases.ts"
import { layerRedisConnection } from "../../../../../infrastructure/adapters/stores/redis/connection.ts"
import { layerLeasesRedis } from "../../../../../infrastructure/adapters/stores/redis/leases.ts"

// Holds a lease until it is killed: `hold-lease.ts URL NAME MILLIS`. Prints `held` when it has the lease.

/** Longer than a test. */
const NEVER = "10 minutes"

const [, , url = "", name = "", millis = "0"] = process.argv

NodeRuntime.runMain(
  Leases.use((leases) =>
    leases.whileHolding(name, Effect.andThen(Effect.sync(() => writeSync(1, "held\n")), Effect.never))
  ).pipe(Effect.provide(
    layerLeasesRedis({ holdFor: Number(millis) }).pipe(Layer.provide(
      layerRedisConnection({ url: Redacted.make(url), commandTimeout: NEVER, startTimeout: NEVER })
    ))
  ))
)
