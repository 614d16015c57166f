import { Effect, type Redacted } from "effect"
import { createPublicKey } from "node:crypto"
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs"
import { join } from "node:path"
import { keyIdOf, publicKeyFile, signingKeyFile, signingKeyOfSetting } from "../../adapters/notary/signing-keys.ts"
import { isHeld, pathsOf, permissionsOfOthers } from "../../runtime/data-folder.ts"
import type { EngineSettings } from "../../runtime/engines.ts"
import type { SigningSettings } from "../../runtime/log-proof.ts"
import type { Settings } from "../../platform/settings/settings.ts"
import { type Finding, findingsAbout, when } from "./finding.ts"

const aboutDisk = findingsAbout("disk")
const aboutDataFolder = findingsAbout("data folder")
const aboutMasterKey = findingsAbout("master key")
const aboutSigningKey = findingsAbout("signing key")

const MIB = 1024 ** 2
const LOW_SPACE_BYTES = 1024 * MIB
const CRITICAL_SPACE_BYTES = 100 * MIB

/** File systems (`f_type` of statfs) on which SQLite's locks or flushes are not reliable. */
const unreliable: Readonly<Record<number, string>> = {
  0x6969: "NFS",
  0xff534d42: "a Windows share",
  0xfe534d42: "a Windows share",
  0x517b: "a Windows share",
  0x01021994: "memory (tmpfs), which is empty after a restart of the machine"
}

/** Checks whether the log can grow; `free` in bytes. */
export const checkSpace = (folder: string, free: number): Finding => {
  const left = `${Math.floor(free / MIB).toLocaleString("en-US")} MiB free on the disk of ${folder}`
  if (free < CRITICAL_SPACE_BYTES) return aboutDisk.fail(left, "free some space: without it no slip is verified")
  return free < LOW_SPACE_BYTES ? aboutDisk.warn(left, "free some space soon") : aboutDisk.ok(left)
}

const checkDisk = (folder: string): ReadonlyArray<Finding> => {
  const { bavail, bsize, type } = statfsSync(folder)
  const kind = unreliable[type]
  return [
    checkSpace(folder, bavail * bsize),
    ...when(kind !== undefined, aboutDisk.warn(`${folder} is on ${kind}`, "move DATA_DIR to a local disk"))
  ]
}

const octal = (path: string): string => (statSync(path).mode & 0o777).toString(8).padStart(4, "0")

/** Whether only the owner may read a key file; `danger` ends the message when others may. */
const checkPermissions = ({ fail, ok }: ReturnType<typeof findingsAbout>, file: string, danger: string): Finding =>
  permissionsOfOthers(file) === 0
    ? ok(`${file} can be read only by its owner (mode ${octal(file)})`)
    : fail(`${file} can be read by other users (mode ${octal(file)})${danger}`, `chmod 600 ${file}`)

const checkAccess = (folder: string): ReadonlyArray<Finding> => {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return [aboutDataFolder.fail(`this user cannot write ${folder}`, "run as the user that owns it")]
  }
  const open = pathsOf(folder).filter((path) => permissionsOfOthers(path) !== 0)
  return when(
    open.length > 0,
    aboutDataFolder.warn(
      `open to other users: ${open.map((path) => `${path} (mode ${octal(path)})`).join(", ")}`,
      `start the service, which closes them, or run: chmod 700 ${folder} && chmod 600 ${folder}/*`
    )
  )
}

const checkKeyFile = ({ dataDir, eventStoreUrl, masterKey }: EngineSettings): ReadonlyArray<Finding> => {
  // With an event store server, the key always comes from the setting.
  if (eventStoreUrl !== undefined) return []
  const file = join(dataDir, "master.key")
  if (masterKey !== undefined) return [aboutMasterKey.ok("taken from MASTER_KEY")]
  if (!existsSync(file)) {
    return [
      aboutMasterKey.fail(
        `${file} is missing: sealed data cannot be opened, and no API key is recognised`,
        "restore it from the backup, or set MASTER_KEY; a new key does not open data that the old key sealed"
      )
    ]
  }
  return [checkPermissions(aboutMasterKey, file, "")]
}

interface FolderReport {
  readonly findings: ReadonlyArray<Finding>
  /** Whether the folder contains data that can be read. */
  readonly hasData: boolean
  /** Whether a service has the folder open. */
  readonly held: boolean
}

/**
 * Checks whether the folder exists, who may read it, whether a service has it open, and the free space. `file` exists in
 * every folder that a service has used.
 */
export const checkFolder = Effect.fnUntraced(function* (settings: EngineSettings, file: string) {
  const { dataDir: folder } = settings
  if (!existsSync(file)) {
    const message = `there is no data in ${folder} yet`
    const advice = "start the service once, or set DATA_DIR to the folder that it uses"
    const others = existsSync(folder) ? [...checkAccess(folder), ...checkDisk(folder)] : []
    const findings = [aboutDataFolder.warn(message, advice), ...others]
    return { findings, hasData: false, held: false } satisfies FolderReport
  }
  const access = checkAccess(folder)
  const isClosed = access.some(({ level }) => level === "FAIL")
  const held = isClosed ? undefined : yield* Effect.result(isHeld(folder, file))
  const holder = held === undefined
    ? []
    : held._tag === "Failure"
    ? [aboutDataFolder.fail(held.failure.message, "find the process that has it open, and make lock.db writable")]
    : [aboutDataFolder.ok(`${folder}, ${held.success ? "open in a running service" : "no service has it open"}`)]
  const report: FolderReport = {
    findings: [...holder, ...access, ...checkKeyFile(settings), ...checkDisk(folder)],
    hasData: !isClosed,
    held: held?._tag === "Success" && held.success
  }
  return report
})

const checkSetting = (setting: Redacted.Redacted): Effect.Effect<Finding> =>
  Effect.match(signingKeyOfSetting(setting), {
    onSuccess: (key) => aboutSigningKey.ok(`key ${keyIdOf(createPublicKey(key))}, taken from SIGNING_KEY`),
    onFailure: ({ message }) => aboutSigningKey.fail(message, "correct SIGNING_KEY: the service does not start with it")
  })

const checkFile = (folder: string): Finding => {
  const file = signingKeyFile(folder)
  if (!existsSync(file)) {
    return existsSync(publicKeyFile(folder))
      ? aboutSigningKey.warn(
        `${file} is missing: the next start creates a new key`,
        "restore it from the backup if you have one; its signatures stay valid in any case"
      )
      : aboutSigningKey.ok("does not exist yet: the service creates it when it starts")
  }
  return checkPermissions(aboutSigningKey, file, ": they can sign another log")
}

const unsigned = aboutSigningKey.warn(
  "the log is not signed, because SIGNING_KEY is not set: changes to the log cannot be detected",
  "create one with: openssl genpkey -algorithm ed25519 -outform DER | base64 -w 0"
)

/** Checks the signing key. Of processes that share a log, those with the role projector sign it. */
export const checkSigning = (
  { dataDir, eventStoreUrl, roles, signingKey }: SigningSettings & Pick<Settings, "roles">
): Effect.Effect<ReadonlyArray<Finding>> => {
  if (signingKey !== undefined) return Effect.map(checkSetting(signingKey), (finding) => [finding])
  if (eventStoreUrl === undefined) return Effect.sync(() => [checkFile(dataDir)])
  return Effect.succeed(roles.includes("projector") ? [unsigned] : [])
}
