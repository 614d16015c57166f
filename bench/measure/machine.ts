import { closeSync, fsyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs"
import { cpus, loadavg, tmpdir, totalmem } from "node:os"
import { join } from "node:path"
import { median } from "./statistics.ts"

/** Describes the machine: one line each for processor, memory, Node and disk. */
export const describeMachine = (): string => {
  const [cpu] = cpus()
  const [load = 0] = loadavg()
  return [
    `cpu     ${cpu?.model ?? "unknown"}, ${cpus().length} cores, load ${load.toFixed(1)} before the run`,
    `memory  ${(totalmem() / 2 ** 30).toFixed(1)} GiB`,
    `node    ${process.version} on ${process.platform} ${process.arch}`,
    `disk    ${diskOf(tmpdir())}, flush ${flushMillis().toFixed(2)} ms (median) in ${tmpdir()}`
  ].join("\n")
}

/** Device and file system of a folder; "unknown" where the system does not report them. */
const diskOf = (folder: string): string => {
  try {
    const mounts = readFileSync("/proc/mounts", "utf8").split("\n").map((line) => line.split(" "))
    const [, found] = mounts.reduce<readonly [number, string]>(
      (best, [device = "", at = "", type = ""]) =>
        at !== "" && `${folder}/`.startsWith(at.endsWith("/") ? at : `${at}/`) && at.length >= best[0]
          ? [at.length, `${device} ${type}`]
          : best,
      [0, "unknown"]
    )
    return found
  } catch {
    return "unknown"
  }
}

/** Median time in milliseconds to write and flush 4 KiB. */
const flushMillis = (): number => {
  const folder = mkdtempSync(join(tmpdir(), "sliptrail-bench-"))
  const file = openSync(join(folder, "flush"), "w")
  try {
    return median(Array.from({ length: 50 }, () => {
      const started = performance.now()
      writeSync(file, Buffer.alloc(4_096, 1))
      fsyncSync(file)
      return performance.now() - started
    }))
  } finally {
    closeSync(file)
    rmSync(folder, { recursive: true, force: true })
  }
}
