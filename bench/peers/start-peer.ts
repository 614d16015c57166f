import { Effect, type Scope } from "effect"
import { type BenchError, checkedFinding, type Finding, infoFinding } from "../figure.ts"
import { type Lap, type Laps, ratioOf, type Side, summary, throughputOf } from "../http/laps.ts"
import { startProgram } from "../measure/program.ts"
import type { PeerReport, PeerRequest } from "./messages.ts"

/** More than the load of any run, so that the quota is counted and never exceeded. */
const branch = { apiKey: "the-api-key-of-the-peer", quota: 1_000_000_000 }

/** Starts a peer in a separate process, which ends with the scope. */
export const startPeer = (stores: PeerRequest["stores"]): Effect.Effect<Side, BenchError, Scope.Scope> =>
  Effect.gen(function* () {
    const program = yield* startProgram({ script: new URL("./peer-process.ts", import.meta.url) })
    const request: PeerRequest = { branch, stores }
    const { port } = yield* program.request<PeerReport>(request)
    return { pid: program.pid, port, apiKey: branch.apiKey }
  })

/** The service beside its peer: throughput and processor time. Also how far its slowest answers are from the median. */
export const comparedWithPeer = (
  { connections, name, target }: {
    readonly name: string
    readonly connections: number
    readonly target: { readonly atLeast: number; readonly floor: number }
  },
  laps: Laps
): ReadonlyArray<Finding> => [
  checkedFinding(
    {
      what: `verifications, ${connections} connections, compared with ${name}`,
      measured: summary(laps.a),
      baseline: summary(laps.b)
    },
    throughputOf(laps),
    target
  ),
  checkedFinding(
    { what: "p99 of a verification, compared with its p50", measured: tail(laps.a), baseline: `${tail(laps.b)} peer` },
    ratioOf(laps.a.map(({ p99 }) => p99), laps.a.map(({ p50 }) => p50)),
    { atMost: 4 }
  ),
  infoFinding(
    { what: "main-thread time of a verification", measured: "does not depend on other load of the machine" },
    ratioOf(laps.a.map(mainThreadTime), laps.b.map(mainThreadTime))
  )
]

const mainThreadTime = ({ processor }: Lap): number => processor?.main ?? Number.NaN

const tail = (laps: ReadonlyArray<Lap>): string =>
  `× ${ratioOf(laps.map(({ p99 }) => p99), laps.map(({ p50 }) => p50)).toFixed(2)}`
