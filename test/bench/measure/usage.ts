import { readFileSync, writeFileSync } from "node:fs"

export interface ProcessorTime {
  /** Of all threads, in milliseconds. */
  readonly all: number
  /** Of the thread that runs the event loop. */
  readonly main: number
}

/** Processor time that a process has taken so far; undefined where the system does not report it. */
export const processorTime = (pid: number): ProcessorTime | undefined => {
  const all = millisIn(`/proc/${pid}/stat`)
  const main = millisIn(`/proc/${pid}/task/${pid}/stat`)
  return all === undefined || main === undefined ? undefined : { all, main }
}

const millisIn = (file: string): number | undefined => {
  try {
    const stat = readFileSync(file, "utf8")
    // The name in parentheses may hold spaces. User and system time are the 12th and 13th fields after it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return (Number(fields[11]) + Number(fields[12])) * MILLIS_PER_TICK
  } catch {
    return undefined
  }
}

/** Linux counts in ticks of 1/100 s on every platform of Node. */
const MILLIS_PER_TICK = 10

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
