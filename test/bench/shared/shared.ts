import { Effect } from "effect"
import type { Figure } from "../figure.ts"
import { orBenchError } from "./engines.ts"
import { measureModels } from "./models.ts"
import { measureQuota } from "./quota.ts"
import { measureVerify } from "./verify.ts"

/** What several processes share: Redis, and an event store behind a protocol. */
export const shared: Figure = {
  name: "shared",
  about:
    "Read models and quotas in Redis, against ioredis by itself; verifying on shared engines, against embedded ones",
  run: (options) =>
    Effect.all([measureModels(options.rounds), measureQuota(options.rounds), measureVerify(options)]).pipe(
      Effect.map((findings) => findings.flat()),
      Effect.mapError(orBenchError)
    )
}
