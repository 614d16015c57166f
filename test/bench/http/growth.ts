import { Effect } from "effect"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import { type Figure, judged, told } from "../figure.ts"
import { startService } from "../measure/service.ts"
import { fillLog } from "./fill.ts"
import { verifyOne } from "./first-answer.ts"
import { makeLoad, ratioOf, summary } from "./laps.ts"

/** Most verifications of a lap: what the empty log grows by must stay small beside the filled one. */
const MAX_REQUESTS = 2_000

/** The time of a verification on a log full of slips, against the same on an empty one. */
export const growth: Figure = {
  name: "growth",
  about: "Verifying a payload through HTTP on a filled log, against an empty one",
  run: Effect.fnUntraced(function* (options) {
    const full = yield* temporaryFolder
    const apiKey = yield* Effect.scoped(Effect.gen(function* () {
      const service = yield* startService({ dataDir: full })
      yield* verifyOne(service)
      return service.apiKey
    }))
    const { appendSeconds, catchUpSeconds } = yield* fillLog(full, options.events)

    const filled = yield* startService({ dataDir: full, apiKey })
    const empty = yield* startService({ dataDir: yield* temporaryFolder })
    const load = yield* makeLoad
    const requests = Math.min(options.requests, MAX_REQUESTS)
    const laps = yield* load.compare(filled, empty, { ...options, requests })
    const time = ratioOf(laps.a.map((lap) => lap.millis), laps.b.map((lap) => lap.millis))
    const latency = ratioOf(laps.a.map((lap) => lap.p50), laps.b.map((lap) => lap.p50))
    const filling = `filled in ${appendSeconds.toFixed(0)} s, read models caught up in ${
      catchUpSeconds.toFixed(0)
    } s more`
    return [
      judged(
        {
          what: `time of one with ${options.events.toLocaleString("en-US")} slips`,
          measured: summary(laps.a),
          baseline: summary(laps.b)
        },
        time,
        { atMost: 1.2 }
      ),
      told({ what: "its latency (p50)", measured: filling }, latency)
    ]
  })
}
