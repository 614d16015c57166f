import { Effect } from "effect"
import { BenchError } from "../figure.ts"
import type { Options } from "../options.ts"
import { type Program, startProgram } from "../measure/program.ts"
import { median } from "../measure/statistics.ts"
import { processorTime } from "../measure/usage.ts"
import type { Kind, LapReport, LapRequest } from "./messages.ts"

/** A server under load. */
export interface Side {
  readonly pid: number
  readonly port: number
  readonly apiKey: string
  /** Multiplies its requests, so that the laps of a fast and a slow side take similar time. Default 1. */
  readonly times?: number
  /** Default `verify`. */
  readonly kind?: Kind
}

export interface Lap extends LapReport {
  readonly perSecond: number
  /** Processor time of the server for one request, in microseconds; undefined where the system does not report it. */
  readonly processor: { readonly all: number; readonly main: number } | undefined
}

/** The laps of two sides, in the order of the rounds. */
export interface Laps {
  readonly a: ReadonlyArray<Lap>
  readonly b: ReadonlyArray<Lap>
}

/** Sends the same load to two servers in turns. */
export interface Load {
  /** Returns the laps of both. A first lap of each warms up and does not count. */
  readonly compare: (
    a: Side,
    b: Side,
    options: Pick<Options, "connections" | "requests" | "rounds">
  ) => Effect.Effect<Laps, BenchError>
}

/** Starts the process that makes the load. It ends with the scope. */
export const makeLoad = Effect.gen(function* () {
  const program = yield* startProgram({ script: new URL("./load-process.ts", import.meta.url) })
  let slipsUsed = 0

  const lap = Effect.fnUntraced(function* (side: Side, connections: number, requests: number) {
    const count = requests * (side.times ?? 1)
    const { apiKey, kind = "verify", port } = side
    const request: LapRequest = { kind, port, apiKey, connections, count, from: slipsUsed }
    slipsUsed += count
    const before = processorTime(side.pid)
    const report = yield* requestLap(program, request)
    const after = processorTime(side.pid)
    return {
      ...report,
      perSecond: count / report.millis * 1_000,
      processor: before === undefined || after === undefined ? undefined : {
        all: (after.all - before.all) / count * 1_000,
        main: (after.main - before.main) / count * 1_000
      }
    } satisfies Lap
  })

  const load: Load = {
    compare: Effect.fnUntraced(function* (a, b, { connections, requests, rounds }) {
      const laps = { a: new Array<Lap>(), b: new Array<Lap>() }
      for (let round = 0; round <= rounds; round++) {
        const lapOfA = yield* lap(a, connections, requests)
        const lapOfB = yield* lap(b, connections, requests)
        if (round === 0) continue
        laps.a.push(lapOfA)
        laps.b.push(lapOfB)
      }
      return laps
    })
  }
  return load
})

const requestLap = Effect.fnUntraced(function* (program: Program, request: LapRequest) {
  const report = yield* program.request<LapReport>(request)
  if (report.wrong > 0) {
    return yield* new BenchError({
      message: `${report.wrong} of ${request.count} answers are wrong: ${report.wrongAnswer}`
    })
  }
  return report
})

/** The median over the rounds of a's value divided by b's. */
export const ratioOf = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): number =>
  median(a.map((value, round) => value / (b[round] ?? Number.NaN)))

/** The throughput of side a divided by that of side b. */
export const throughputOf = ({ a, b }: Laps): number =>
  ratioOf(a.map((lap) => lap.perSecond), b.map((lap) => lap.perSecond))

/** Describes a side: throughput, latency and processor time of a request, each the median of its laps. */
export const summary = (laps: ReadonlyArray<Lap>): string => {
  const of = (read: (lap: Lap) => number) => median(laps.map(read))
  const processor = laps.every((lap) => lap.processor !== undefined)
    ? [
      `cpu ${of((lap) => lap.processor?.all ?? 0).toFixed(0)} µs`,
      `main thread ${of((lap) => lap.processor?.main ?? 0).toFixed(0)} µs`
    ]
    : []
  return [
    `${Math.round(of((lap) => lap.perSecond)).toLocaleString("en-US")}/s`,
    `p50 ${of((lap) => lap.p50).toFixed(1)} ms`,
    `p99 ${of((lap) => lap.p99).toFixed(1)} ms`,
    ...processor
  ].join(", ")
}
