import { Effect } from "effect"
import { temporaryFolder } from "../../test/support/temporary-folder.ts"
import { type Figure, infoFinding } from "../figure.ts"
import { median } from "../measure/statistics.ts"
import { startService } from "../measure/service.ts"
import { type Lap, makeLoad, type Side, summary, throughputOf } from "./laps.ts"

/** Measures what authentication, the rate limit and idempotency keys add to a verification. */
export const guards: Figure = {
  name: "guards",
  about: "What authentication, the rate limit and an Idempotency-Key add to a verification, embedded stores",
  run: Effect.fnUntraced(function* (options) {
    const service = yield* startService({ dataDir: yield* temporaryFolder, profile: options.profile })
    const limited = yield* startService({ dataDir: yield* temporaryFolder, env: UNREACHABLE_LIMIT })
    const load = yield* makeLoad
    const compare = (a: Side, b: Side) => load.compare(a, b, options)

    const rate = yield* compare(limited, service)
    const keyed = yield* compare({ ...service, kind: "keyed" }, service)
    const auth = yield* compare(
      { ...service, kind: "authenticated", times: 4 },
      { ...service, kind: "unauthenticated", times: 4 }
    )
    return [
      infoFinding(
        { what: "throughput with a rate limit", measured: summary(rate.a), baseline: summary(rate.b) },
        throughputOf(rate)
      ),
      infoFinding(
        { what: "throughput with an Idempotency-Key", measured: summary(keyed.a), baseline: summary(keyed.b) },
        throughputOf(keyed)
      ),
      infoFinding({
        what: "authentication's share of main-thread time",
        measured: summary(auth.a),
        baseline: summary(auth.b)
      }, (mainThreadTime(auth.a) - mainThreadTime(auth.b)) / mainThreadTime(rate.b))
    ]
  })
}

const UNREACHABLE_LIMIT = { RATE_LIMIT: "1000000", RATE_LIMIT_BURST: "1000000" }

const mainThreadTime = (laps: ReadonlyArray<Lap>): number =>
  median(laps.map(({ processor }) => processor?.main ?? Number.NaN))
