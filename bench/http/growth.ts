import { Effect } from "effect"
import { temporaryFolder } from "../../test/support/temporary-folder.ts"
import { checkedFinding, type Figure, infoFinding } from "../figure.ts"
import { median } from "../measure/statistics.ts"
import { startService } from "../measure/service.ts"
import { fillLog } from "./fill.ts"
import { verifyOne } from "./first-answer.ts"
import { makeLoad, ratioOf, summary } from "./laps.ts"
import { compareLists } from "./reading.ts"

/** The most verifications in a lap. The empty log must stay small compared with the filled one. */
const MAX_REQUESTS = 2_000

/** Compares the time of a verification on a filled log with the time on an empty log. */
export const growth: Figure = {
  name: "growth",
  about: "Verifying a payload over HTTP on a filled log, compared with an empty log",
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
    const lists = yield* compareLists(filled, empty, options.rounds)
    const filling = `filled in ${appendSeconds.toFixed(0)} s, read models caught up ${
      catchUpSeconds.toFixed(0)
    } s later`
    return [
      checkedFinding(
        {
          what: `time per verification, ${options.events.toLocaleString("en-US")} slips`,
          measured: summary(laps.a),
          baseline: summary(laps.b)
        },
        time,
        { atMost: 1.2 }
      ),
      infoFinding({ what: "latency (p50)", measured: filling }, latency),
      checkedFinding(
        {
          what: "time per page of 50 verifications",
          measured: `p50 ${median(lists.a).toFixed(1)} ms`,
          baseline: `p50 ${median(lists.b).toFixed(1)} ms`
        },
        ratioOf(lists.a, lists.b),
        { atMost: 1.2 }
      )
    ]
  })
}
