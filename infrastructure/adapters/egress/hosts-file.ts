import { readFileSync, statSync } from "node:fs"
import { Clock, Effect } from "effect"
import { canonical } from "./addresses.ts"

/** The addresses of a name in a hosts file, in the order of the file. */
export type HostsFile = (name: string) => Effect.Effect<ReadonlyArray<string>>

/** The hosts file of the operating system. */
export const systemHostsFile = process.platform === "win32"
  ? `${process.env["SystemRoot"] ?? "C:\\Windows"}\\System32\\drivers\\etc\\hosts`
  : "/etc/hosts"

/**
 * Reads names from a hosts file. A change of the file takes effect within a second. A missing file has no names. While
 * the file cannot be read, its last names stay in use.
 *
 * The file is read synchronously: an asynchronous read would occupy a thread of the pool that the stores use.
 */
export const makeHostsFile = (file: string): HostsFile => {
  let hosts: ReadonlyMap<string, ReadonlyArray<string>> = new Map()
  let version = ""
  let checkAt = -Infinity
  let isReadable = true

  const refresh = Effect.try({
    try: () => {
      const found = versionOf(file)
      if (found !== version) hosts = found === MISSING ? new Map() : parseHosts(readFileSync(file, "utf8"))
      version = found
      isReadable = true
    },
    catch: String
  }).pipe(
    Effect.catch((why) => {
      if (!isReadable) return Effect.void
      isReadable = false
      return Effect.logWarning(`${file} cannot be read: ${why}. Its last names stay in use until you repair it`)
    })
  )

  return (name) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (now < checkAt) return Effect.succeed(hosts.get(name) ?? [])
      checkAt = now + CHECK_MILLIS
      return Effect.map(refresh, () => hosts.get(name) ?? [])
    })
}

const CHECK_MILLIS = 1_000
const MISSING = "missing"

const versionOf = (file: string): string => {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat === undefined ? MISSING : `${stat.mtimeMs}/${stat.size}/${stat.ino}`
}

/** Lines of the form `address name name # comment`. Addresses with a zone are ignored, because egress refuses them. */
export const parseHosts = (text: string): ReadonlyMap<string, ReadonlyArray<string>> => {
  const hosts = new Map<string, Array<string>>()
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*$/u, "").trim().split(/\s+/u)
    if (canonical(address) === "") continue
    for (const name of names) {
      const key = name.toLowerCase().replace(/\.$/u, "")
      hosts.set(key, [...hosts.get(key) ?? [], address])
    }
  }
  return hosts
}
