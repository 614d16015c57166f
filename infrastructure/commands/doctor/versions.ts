import { Effect } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Settings } from "../../platform/settings/settings.ts"
import { type Finding, findingsAbout } from "./finding.ts"

const aboutRuntime = findingsAbout("runtime")
const aboutSlipReader = findingsAbout("slip reader")

/** The versions of the runtime, of SQLite and of the main packages. */
export type Versions = Readonly<Record<string, string>>

const MIN_NODE = 24

const resolver = createRequire(import.meta.url)

const sqlite = (): string => {
  const database = new DatabaseSync(":memory:")
  try {
    return String(database.prepare("SELECT sqlite_version() AS version").get()?.["version"])
  } finally {
    database.close()
  }
}

/** The version of an installed package, also when it does not export its package.json. */
const packageVersion = (name: string): string => {
  let folder = dirname(resolver.resolve(name))
  while (folder !== dirname(folder)) {
    const file = join(folder, "package.json")
    const found: { readonly name?: string; readonly version?: string } = existsSync(file)
      ? JSON.parse(readFileSync(file, "utf8"))
      : {}
    if (found.name === name && found.version !== undefined) return found.version
    folder = dirname(folder)
  }
  return "unknown"
}

const tryVersion = (name: string): string => {
  try {
    return packageVersion(name)
  } catch {
    return "not installed"
  }
}

const runtime = (): readonly [name: string, version: string] =>
  process.versions["deno"] === undefined ? ["Node", process.versions.node] : ["Deno", process.versions["deno"]]

export const versions = (): Versions => {
  const [name, version] = runtime()
  const names = ["effect", "sharp", "zxing-wasm", "@eventstore/db-client", "ioredis"]
  const packages = names.map((name) => [name, tryVersion(name)])
  return { [name]: version, SQLite: sqlite(), ...Object.fromEntries(packages) }
}

const checkRuntime = (): Finding => {
  const [name, version] = runtime()
  return name === "Node" && Number.parseInt(version, 10) < MIN_NODE
    ? aboutRuntime.fail(`Node ${version} is too old`, `use Node ${MIN_NODE} or newer; npm ci installs one on Linux`)
    : aboutRuntime.ok(`${name} ${version} on ${process.platform} ${process.arch}`)
}

const checkReader = ({ slipReader }: Pick<Settings, "slipReader">): Effect.Effect<Finding> =>
  slipReader === "portable"
    ? Effect.succeed(aboutSlipReader.ok("portable: needs no native code"))
    : Effect.match(Effect.tryPromise(() => import("sharp")), {
      onSuccess: () => aboutSlipReader.ok(`native: sharp ${tryVersion("sharp")} can be loaded`),
      onFailure: ({ cause }) =>
        aboutSlipReader.fail(
          `sharp cannot be loaded: ${String(cause).split("\n", 1)[0]}`,
          "install again with npm ci (on Deno allow --allow-ffi), or set SLIP_READER=portable"
        )
    })

export const checkVersions = Effect.fnUntraced(function* (settings: Pick<Settings, "slipReader">) {
  return [checkRuntime(), yield* checkReader(settings)]
})
