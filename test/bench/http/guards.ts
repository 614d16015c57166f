import { Effect } from "effect"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import { type Figure, told } from "../figure.ts"
import { median } from "../measure/statistics.ts"
import { startService } from "../measure/service.ts"
import { type Lap, makeLoad, type Side, summary, throughputOf } from "./laps.ts"

/** What it costs a verification that its caller is known, does not ask too fast, and may ask again. */
export const guards: Figure = {
  name: "guards",
  about: "What authentication, the rate limit and an Idempotency-Key add to a verification, embedded stores",
  run: Effect.fnUntraced(function* (options) {
    const service = yield* startService({ dataDir: yield* temporaryFolder, profile: options.profile })
    const limited = yield* startService({ dataDir: yield* temporaryFolder, env: ABOVE_ALL_LOAD })
    const load = yield* makeLoad
    const against = (a: Side, b: Side) => load.compare(a, b, options)

    const rate = yield* against(limited, service)
    const keyed = yield* against({ ...service, kind: "keyed" }, service)
    const auth = yield* against(
      { ...service, kind: "authenticated", times: 4 },
      { ...service, kind: "unauthenticated", times: 4 }
    )
    return [
      told(
        { what: "a rate limit: throughput", measured: summary(rate.a), baseline: summary(rate.b) },
        throughputOf(rate)
      ),
      told(
        { what: "an Idempotency-Key: throughput", measured: summary(keyed.a), baseline: summary(keyed.b) },
        throughputOf(keyed)
      ),
      told({
        what: "authentication: of a verification's time of the main thread",
        measured: summary(auth.a),
        baseline: summary(auth.b)
      }, (mainThread(auth.a) - mainThread(auth.b)) / mainThread(rate.b))
    ]
  })
}

const ABOVE_ALL_LOAD = { RATE_LIMIT: "1000000", RATE_LIMIT_BURST: "1000000" }

const mainThread = (laps: ReadonlyArray<Lap>): number =>
  median(laps.map(({ processor }) => processor?.main ?? Number.NaN))
