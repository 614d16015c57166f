import { Effect } from "effect"
import type { Figure } from "../figure.ts"
import { orBenchError } from "./engines.ts"
import { measureModels } from "./models.ts"
import { measureQuota } from "./quota.ts"
import { measureVerify } from "./verify.ts"

/** Measures the stores that several processes share: Redis and EventStoreDB. */
export const shared: Figure = {
  name: "shared",
  about:
    "Read models and quotas in Redis, compared with ioredis alone; verifying on shared stores, compared with embedded stores",
  run: (options) =>
    Effect.all([measureModels(options.rounds), measureQuota(options.rounds), measureVerify(options)]).pipe(
      Effect.map((findings) => findings.flat()),
      Effect.mapError(orBenchError)
    )
}
