import { Effect } from "effect"
import { BenchError } from "../figure.ts"
import type { Options } from "../options.ts"
import { type Program, startProgram } from "../measure/program.ts"
import { median } from "../measure/statistics.ts"
import { type ProcessorTime, processorTime, timePerRequest } from "../measure/usage.ts"
import type { Kind, LapReport, LapRequest } from "./messages.ts"

/** A server under load. */
export interface Side {
  readonly pid: number
  readonly port: number
  /** The ports of further processes of the service, which share the load. */
  readonly morePorts?: ReadonlyArray<number>
  readonly apiKey: string
  /** Multiplies its requests, so that the laps of a fast and a slow side take similar time. Default 1. */
  readonly times?: number
  /** Default `verify`. */
  readonly kind?: Kind
}

export interface Lap extends LapReport {
  readonly perSecond: number
  /** Processor time of the server for one request, by thread; undefined where the system does not report it. */
  readonly processor: ProcessorTime | undefined
}

/** The laps of two sides, in the order of the rounds. */
export type Laps = LapsOf<"a" | "b">

/** The laps of each side, in the order of the rounds. */
export type LapsOf<Name extends string> = Readonly<Record<Name, ReadonlyArray<Lap>>>

type LoadOptions = Pick<Options, "connections" | "requests" | "rounds">

/** Sends the same load to servers in turns. */
export interface Load {
  /** Sends the requests of one lap. */
  readonly lap: (side: Side, options: Omit<LoadOptions, "rounds">) => Effect.Effect<Lap, BenchError>
  /** As `alternate`. */
  readonly compare: (a: Side, b: Side, options: LoadOptions) => Effect.Effect<Laps, BenchError>
  /** In each round every side runs once, in the given order. The first rounds warm up and do not count. */
  readonly alternate: <Name extends string>(
    sides: Readonly<Record<Name, Side>>,
    options: LoadOptions
  ) => Effect.Effect<LapsOf<Name>, BenchError>
}

/**
 * Requests to each side that do not count. A server runs for days, but V8 compiles a program of this size during the first
 * 16 000 requests. Small programs are fast sooner: an earlier comparison measures the compiler.
 */
const WARM_UP_REQUESTS = 16_000

/** Starts the process that makes the load. It ends with the scope. */
export const makeLoad = Effect.gen(function* () {
  const program = yield* startProgram({ script: new URL("./load-process.ts", import.meta.url) })
  let slipsUsed = 0

  const lap: Load["lap"] = Effect.fnUntraced(function* (side, { connections, requests }) {
    const count = requests * (side.times ?? 1)
    const { apiKey, kind = "verify", morePorts = [], port } = side
    const request: LapRequest = { kind, ports: [port, ...morePorts], apiKey, connections, count, from: slipsUsed }
    slipsUsed += count
    const before = processorTime(side.pid)
    const report = yield* requestLap(program, request)
    const after = processorTime(side.pid)
    return {
      ...report,
      perSecond: count / report.millis * 1_000,
      processor: timePerRequest(before, after, count)
    } satisfies Lap
  })

  const alternate: Load["alternate"] = Effect.fnUntraced(function* <Name extends string>(
    sides: Readonly<Record<Name, Side>>,
    options: LoadOptions
  ) {
    const laps: Partial<Record<Name, ReadonlyArray<Lap>>> = {}
    const warmUpRounds = Math.ceil(WARM_UP_REQUESTS / options.requests)
    for (let round = -warmUpRounds; round < options.rounds; round++) {
      for (const name in sides) {
        const one = yield* lap(sides[name], options)
        laps[name] = round < 0 ? [] : [...laps[name] ?? [], one]
      }
    }
    return laps as LapsOf<Name>
  })

  const load: Load = { lap, alternate, compare: (a, b, options) => alternate({ a, b }, options) }
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
