import { readdirSync, readFileSync, writeFileSync } from "node:fs"

/** Processor time by thread, in microseconds. The threads of a process of another program count as `main` or `other`. */
export interface ProcessorTime {
  /** Of all threads. */
  readonly all: number
  /** Of the thread that runs the event loop. */
  readonly main: number
  /** Of V8's threads, which collect garbage and compile. */
  readonly helpers: number
  /** Of the thread that writes the embedded log. */
  readonly logWriter: number
  /** Of the thread that applies events to the embedded read models. */
  readonly readModels: number
  readonly other: number
}

/** Processor time that a process has taken so far; undefined where the system does not report it. */
export const processorTime = (pid: number): ProcessorTime | undefined => {
  try {
    const time = { all: 0, main: 0, helpers: 0, logWriter: 0, readModels: 0, other: 0 }
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const folder = `/proc/${pid}/task/${thread}`
      const [nanos = "0"] = readFileSync(`${folder}/schedstat`, "utf8").split(" ")
      const name = readFileSync(`${folder}/comm`, "utf8").trim()
      const micros = Number(nanos) / 1_000
      time[thread === String(pid) ? "main" : THREADS.get(name) ?? "other"] += micros
      time.all += micros
    }
    return time
  } catch {
    return undefined
  }
}

/** By the names that Linux shows: the first 15 letters of the names that Node and this service give. */
const THREADS: ReadonlyMap<string, keyof ProcessorTime> = new Map([
  ["V8Worker", "helpers"],
  ["event-log-write", "logWriter"],
  ["read-models", "readModels"]
])

/** The time that a process took between two moments, divided by the number of requests. */
export const timePerRequest = (
  before: ProcessorTime | undefined,
  after: ProcessorTime | undefined,
  requests: number
): ProcessorTime | undefined => {
  if (before === undefined || after === undefined) return undefined
  const of = (name: keyof ProcessorTime) => (after[name] - before[name]) / requests
  return {
    all: of("all"),
    main: of("main"),
    helpers: of("helpers"),
    logWriter: of("logWriter"),
    readModels: of("readModels"),
    other: of("other")
  }
}

/** Processor time of a process in microseconds, with that of its threads that have ended. */
export const wholeProcessorTime = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) * MICROS_PER_TICK
}

const MICROS_PER_TICK = 10_000

/** Resident memory of a process, in MB. Throws where the system does not report it. */
export const residentMegabytes = (pid: number): number => statusOf(pid, "VmRSS")

/** The maximum of resident memory since `resetPeak`, in MB. */
export const peakMegabytes = (pid: number): number => statusOf(pid, "VmHWM")

export const resetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, "5")

const statusOf = (pid: number, field: string): number => {
  const found = new RegExp(`^${field}:\\s+(\\d+) kB$`, "mu").exec(readFileSync(`/proc/${pid}/status`, "utf8"))
  if (found === null) throw new Error(`the system does not report ${field}`)
  return Number(found[1]) * 1_024 / 1e6
}
