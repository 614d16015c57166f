import { Effect } from "effect"
import { join } from "node:path"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import { checkedFinding, type Figure, infoFinding } from "../figure.ts"
import { startProgram } from "../measure/program.ts"
import { startService } from "../measure/service.ts"
import { verifyOne } from "./first-answer.ts"
import { type Lap, makeLoad, ratioOf, summary, throughputOf } from "./laps.ts"
import type { BareReport, BareRequest } from "./messages.ts"

/** Compares verifications over HTTP, and a minimal durable server, with a server that only parses and answers. */
export const http: Figure = {
  name: "http",
  about: "Verifying a payload over HTTP on embedded stores, each slip for the first time, compared with bare node:http",
  run: Effect.fnUntraced(function* (options) {
    const service = yield* startService({ dataDir: yield* temporaryFolder, profile: options.profile })
    const answer = yield* verifyOne(service)
    const bare = yield* startBare({ answer })
    const durable = yield* startBare({ answer, log: join(yield* temporaryFolder, "events.db") })
    const load = yield* makeLoad
    const laps = yield* load.compare(service, bare, options)
    const smallest = yield* load.compare(durable, bare, options)
    const throughput = throughputOf(laps)
    const latency = ratioOf(laps.a.map((lap) => lap.p50), laps.b.map((lap) => lap.p50))
    const processor = ratioOf(laps.a.map(mainThreadTime), laps.b.map(mainThreadTime))
    return [
      checkedFinding(
        {
          what: `verifications, ${options.connections} connections`,
          measured: summary(laps.a),
          baseline: summary(laps.b)
        },
        throughput,
        { atLeast: 0.25 }
      ),
      infoFinding({ what: "latency (p50)", measured: "every answer 200 with isDuplicate false" }, latency),
      infoFinding({
        what: "main-thread time per verification",
        measured: "does not depend on other load of the machine"
      }, processor),
      infoFinding({
        what: "smallest durable server",
        measured: summary(smallest.a),
        baseline: summary(smallest.b)
      }, throughputOf(smallest))
    ]
  })
}

const mainThreadTime = ({ processor }: Lap): number => processor?.main ?? Number.NaN

const startBare = Effect.fnUntraced(function* (request: BareRequest) {
  const program = yield* startProgram({ script: new URL("./bare-process.ts", import.meta.url) })
  const { port } = yield* program.request<BareReport>(request)
  return { pid: program.pid, port, apiKey: "bare", times: 4 }
})
