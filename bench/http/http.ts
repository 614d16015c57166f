import { Effect } from "effect"
import { join } from "node:path"
import { temporaryFolder } from "../../test/support/temporary-folder.ts"
import { checkedFinding, type Figure, infoFinding } from "../figure.ts"
import { startProgram } from "../measure/program.ts"
import { startService } from "../measure/service.ts"
import { peakMegabytes } from "../measure/usage.ts"
import { comparedWithPeer, startPeer } from "../peers/start-peer.ts"
import { verifyOne } from "./first-answer.ts"
import { makeLoad, ratioOf, summary, throughputOf } from "./laps.ts"
import { sidesOfLayers, timesOfLayers } from "./layers.ts"
import type { BareReport, BareRequest } from "./messages.ts"

/** Megabytes of the service under full load. */
const MAX_MEMORY = 550

/**
 * Compares verifications over HTTP with a peer on SQLite, with a server that only parses and answers, and with a minimal
 * durable server. Then it measures the layers of the service.
 */
export const http: Figure = {
  name: "http",
  about:
    "Verifying a payload over HTTP on embedded stores, each slip for the first time, compared with fastify on SQLite",
  run: Effect.fnUntraced(function* (options) {
    const service = yield* startService({ dataDir: yield* temporaryFolder, profile: options.profile })
    const peer = yield* startPeer({ file: join(yield* temporaryFolder, "peer.db") })
    const answer = yield* verifyOne(service)
    const bare = yield* startBare({ answer })
    const durable = yield* startBare({ answer, log: join(yield* temporaryFolder, "events.db") })
    const load = yield* makeLoad
    const laps = yield* load.alternate({ service, peer, bare, durable }, options)
    const layers = yield* load.alternate(sidesOfLayers(service), options)
    const withBare = { a: laps.service, b: laps.bare }
    return [
      ...comparedWithPeer(
        {
          name: "fastify and node:sqlite",
          connections: options.connections,
          target: { atLeast: 1.25, floor: 1 }
        },
        { a: laps.service, b: laps.peer }
      ),
      infoFinding(
        {
          what: "verifications, compared with bare node:http",
          measured: summary(laps.service),
          baseline: summary(laps.bare)
        },
        throughputOf(withBare)
      ),
      infoFinding(
        { what: "latency (p50)", measured: "every answer 200 with isDuplicate false" },
        ratioOf(withBare.a.map((lap) => lap.p50), withBare.b.map((lap) => lap.p50))
      ),
      infoFinding({
        what: "smallest durable server",
        measured: summary(laps.durable),
        baseline: summary(laps.bare)
      }, throughputOf({ a: laps.durable, b: laps.bare })),
      ...timesOfLayers(layers, laps.bare),
      checkedFinding(
        { what: "largest memory under this load", measured: "resident set" },
        peakMegabytes(service.pid),
        { atMost: MAX_MEMORY },
        "MB"
      )
    ]
  })
}

const startBare = Effect.fnUntraced(function* (request: BareRequest) {
  const program = yield* startProgram({ script: new URL("./bare-process.ts", import.meta.url) })
  const { port } = yield* program.request<BareReport>(request)
  return { pid: program.pid, port, apiKey: "bare", times: 4 }
})
