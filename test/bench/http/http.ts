import { Effect } from "effect"
import { join } from "node:path"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import { type Figure, judged, told } from "../figure.ts"
import { startProgram } from "../measure/program.ts"
import { startService } from "../measure/service.ts"
import { verifyOne } from "./first-answer.ts"
import { type Lap, makeLoad, ratioOf, summary, throughputOf } from "./laps.ts"
import type { BareReport, BareRequest } from "./messages.ts"

/** Verifications through HTTP against a server that only parses and answers; and what of that durability alone leaves. */
export const http: Figure = {
  name: "http",
  about: "Verifying a payload through HTTP, embedded stores, every slip a new one, against bare node:http",
  run: Effect.fnUntraced(function* (options) {
    const service = yield* startService({ dataDir: yield* temporaryFolder, profile: options.profile })
    const answer = yield* verifyOne(service)
    const bare = yield* startBare({ answer })
    const durable = yield* startBare({ answer, log: join(yield* temporaryFolder, "events.db") })
    const load = yield* makeLoad
    const laps = yield* load.compare(service, bare, options)
    const least = yield* load.compare(durable, bare, options)
    const throughput = throughputOf(laps)
    const latency = ratioOf(laps.a.map((lap) => lap.p50), laps.b.map((lap) => lap.p50))
    const processor = ratioOf(laps.a.map(mainThread), laps.b.map(mainThread))
    return [
      judged(
        {
          what: `verifications, ${options.connections} connections`,
          measured: summary(laps.a),
          baseline: summary(laps.b)
        },
        throughput,
        { atLeast: 0.25 }
      ),
      told({ what: "their latency (p50)", measured: "every one 200 and isDuplicate false" }, latency),
      told({
        what: "their time of the main thread",
        measured: "whatever else the machine has to do"
      }, processor),
      told({
        what: "the least that is durable",
        measured: summary(least.a),
        baseline: summary(least.b)
      }, throughputOf(least))
    ]
  })
}

const mainThread = ({ processor }: Lap): number => processor?.main ?? Number.NaN

const startBare = Effect.fnUntraced(function* (request: BareRequest) {
  const program = yield* startProgram({ script: new URL("./bare-process.ts", import.meta.url) })
  const { port } = yield* program.ask<BareReport>(request)
  return { pid: program.pid, port, apiKey: "bare", times: 4 }
})
