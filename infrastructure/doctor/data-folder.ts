import { Effect } from "effect"
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs"
import { join } from "node:path"
import { isHeld } from "../runtime/data-folder.ts"
import type { EngineSettings } from "../runtime/engines.ts"
import { fail, type Finding, ok, warn } from "./finding.ts"

const MIB = 1024 ** 2
const LITTLE_SPACE = 1024 * MIB
const NO_SPACE = 100 * MIB

/** Kinds of file systems (statfs, `f_type`) on which SQLite's locks or its flushes can't be relied on. */
const unreliable: Readonly<Record<number, string>> = {
  0x6969: "NFS",
  0xff534d42: "a Windows share",
  0xfe534d42: "a Windows share",
  0x517b: "a Windows share",
  0x01021994: "memory (tmpfs), which a restart of the machine empties"
}

/** Whether there is room for the log to grow; `free` in bytes. */
export const judgeSpace = (folder: string, free: number): Finding => {
  const left = `${Math.floor(free / MIB).toLocaleString("en-US")} MiB free on the disk of ${folder}`
  if (free < NO_SPACE) return fail("disk", left, "make room: what cannot be written down is not verified")
  return free < LITTLE_SPACE ? warn("disk", left, "make room soon") : ok("disk", left)
}

const judgeDisk = (folder: string): ReadonlyArray<Finding> => {
  const { bavail, bsize, type } = statfsSync(folder)
  const kind = unreliable[type]
  return [
    judgeSpace(folder, bavail * bsize),
    ...(kind === undefined ? [] : [warn("disk", `${folder} lies on ${kind}`, "move DATA_DIR to a local disk")])
  ]
}

/** Permission bits of everybody but the owner; none where the system has no such bits. */
export const openToOthers = (path: string): number => process.platform === "win32" ? 0 : statSync(path).mode & 0o077

export const octal = (path: string): string => (statSync(path).mode & 0o777).toString(8).padStart(4, "0")

const judgeAccess = (folder: string): ReadonlyArray<Finding> => {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return [fail("data folder", `${folder} cannot be written by this user`, "run as the user that owns it")]
  }
  return openToOthers(folder) === 0
    ? []
    : [warn("data folder", `${folder} is open to other users (mode ${octal(folder)})`, `chmod 700 ${folder}`)]
}

const judgeKeyFile = ({ dataDir, eventStoreUrl, masterKey }: EngineSettings): ReadonlyArray<Finding> => {
  // A log on a server has its key from the setting alone.
  if (eventStoreUrl !== undefined) return []
  const file = join(dataDir, "master.key")
  if (masterKey !== undefined) return [ok("master key", "taken from MASTER_KEY")]
  if (!existsSync(file)) {
    return [
      fail(
        "master key",
        `${file} is missing: what the log has sealed cannot be opened, and no API key is recognised`,
        "put it back from the backup, or set MASTER_KEY; a new key does not open what the old one sealed"
      )
    ]
  }
  return openToOthers(file) === 0
    ? [ok("master key", `${file} can be read by its owner alone (mode ${octal(file)})`)]
    : [fail("master key", `${file} can be read by others (mode ${octal(file)})`, `chmod 600 ${file}`)]
}

export interface FolderReport {
  readonly findings: ReadonlyArray<Finding>
  /** Whether there is data to look at. */
  readonly hasData: boolean
  /** Whether a service has the folder open. */
  readonly held: boolean
}

/**
 * The folder itself: whether it is there, who may read it, who holds it, and the room on its disk. `file` is in every
 * folder that a service has used.
 */
export const judgeFolder = Effect.fnUntraced(function* (settings: EngineSettings, file: string) {
  const { dataDir: folder } = settings
  if (!existsSync(file)) {
    const message = `there is no data in ${folder} yet`
    const advice = "start the service once, or set DATA_DIR to the folder that it uses"
    const around = existsSync(folder) ? [...judgeAccess(folder), ...judgeDisk(folder)] : []
    const findings = [warn("data folder", message, advice), ...around]
    return { findings, hasData: false, held: false } satisfies FolderReport
  }
  const access = judgeAccess(folder)
  const isClosed = access.some(({ level }) => level === "FAIL")
  const held = isClosed ? undefined : yield* Effect.result(isHeld(folder, file))
  const holder = held === undefined
    ? []
    : held._tag === "Failure"
    ? [fail("data folder", held.failure.message, "see who holds it, and that lock.db can be written")]
    : [ok("data folder", `${folder}, ${held.success ? "open in a running service" : "no service has it open"}`)]
  const report: FolderReport = {
    findings: [...holder, ...access, ...judgeKeyFile(settings), ...judgeDisk(folder)],
    hasData: !isClosed,
    held: held?._tag === "Success" && held.success
  }
  return report
})
