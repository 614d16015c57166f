import { Effect } from "effect"
import { type Figure, type Finding, infoFinding } from "../figure.ts"
import { type Lap, makeLoad, ratioOf } from "../http/laps.ts"
import { median } from "../measure/statistics.ts"
import { type Cluster, type Part, startCluster } from "./cluster.ts"

/** The numbers of processes with the role `http` that share the load. */
const COUNTS = [1, 2, 4] as const

/** The most verifications in a lap. The test server for the log is not fast enough for more. */
const MAX_REQUESTS = 2_000

interface Measured {
  readonly lap: Lap
  /** The processor time of a verification in each part, in microseconds. */
  readonly parts: Readonly<Record<Part, number>>
}

/** Measures what a verification costs each part of an installation, with one, two and four processes. */
export const scale: Figure = {
  name: "scale",
  about: "Verifications of 1, 2 and 4 http processes on shared stores, per second of processor time",
  run: Effect.fnUntraced(function* ({ connections, profile, requests: wanted, rounds }) {
    const cluster = yield* startCluster(Math.max(...COUNTS), profile)
    const load = yield* makeLoad
    const requests = Math.min(wanted, MAX_REQUESTS)
    const measure = Effect.fnUntraced(function* (count: number) {
      const before = cluster.times()
      const lap = yield* load.lap(sideOf(cluster, count), { connections, requests })
      // The projector works on after the last answer.
      yield* cluster.caughtUp
      const after = cluster.times()
      const of = (part: Part) => (after[part] - before[part]) / requests
      const parts = { http: of("http"), projector: of("projector"), log: of("log"), redis: of("redis") }
      return { lap, parts } satisfies Measured
    })
    // Warms up every process alike, as later each has only a part of a lap.
    for (const one of cluster.http) yield* load.lap(one, { connections, requests })
    const measured: ReadonlyArray<Array<Measured>> = COUNTS.map(() => [])
    for (let round = 0; round < rounds; round++) {
      for (const [index, count] of COUNTS.entries()) measured[index]?.push(yield* measure(count))
    }
    return COUNTS.flatMap((count, index) => findingsOf(count, measured[index] ?? [], measured[0] ?? []))
  })
}

const sideOf = ({ http }: Cluster, count: number) => {
  const [first, ...others] = http.slice(0, count)
  return {
    pid: first?.pid ?? 0,
    port: first?.port ?? 0,
    apiKey: first?.apiKey ?? "",
    morePorts: others.map(({ port }) => port)
  }
}

const findingsOf = (
  count: number,
  measured: ReadonlyArray<Measured>,
  ofOne: ReadonlyArray<Measured>
): ReadonlyArray<Finding> => {
  const lapOf = (name: "perSecond" | "p50" | "p99") => median(measured.map(({ lap }) => lap[name])).toFixed(0)
  const micros = (part: Part) => `${part} ${median(measured.map(({ parts }) => parts[part])).toFixed(0)}`
  const perCore = measured.map(perCoreOf)
  const row = infoFinding(
    {
      what: `${count} http, one projector`,
      measured: `${lapOf("perSecond")}/s, p50 ${lapOf("p50")} ms, p99 ${lapOf("p99")} ms`,
      baseline: `${micros("http")}, ${micros("projector")}, ${micros("log")}, ${micros("redis")} µs`
    },
    median(perCore),
    "/s per core"
  )
  if (count === 1) return [row]
  const efficiency = ratioOf(perCore, ofOne.map(perCoreOf))
  return [row, infoFinding({ what: "  per core, compared with 1 http", measured: "" }, efficiency)]
}

/** Verifications per second of processor time that the processes of SlipTrail take. */
const perCoreOf = ({ parts }: Measured): number => 1e6 / (parts.http + parts.projector)
