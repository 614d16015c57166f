/** The layers of the code. A file belongs to the first layer one of whose prefixes its path begins with. */
export type Layer =
  | "domain"
  | "ports"
  | "projections"
  | "application"
  | "sdk"
  | "shared infrastructure"
  | "composition root"
  | "adapter"
  | "test"
  | "tools"
  | "examples"
  | "project root"

/**
 * What a layer may take from Effect.
 *
 * - `stable`: modules tagged `@stability stable`, by named imports
 * - `inner`: the same and other modules that do not reach the outside world
 * - `any`: everything but `effect/testing`
 * - `all`: everything
 */
export type EffectUse = "stable" | "inner" | "any" | "all"

/** Which npm packages and `node:` modules a layer may take: none, those of `dependencies`, or development's too. */
export type OutsideUse = "none" | "dependencies" | "all"

export interface Rule {
  readonly layer: Layer
  readonly files: ReadonlyArray<string>
  /** Layers that files of this layer may import. An adapter may import its own folder besides. */
  readonly layers: ReadonlyArray<Layer>
  readonly outside: OutsideUse
  readonly effect: EffectUse
}

const inward: ReadonlyArray<Layer> = ["domain", "ports", "projections", "application", "sdk", "shared infrastructure"]
const everything: ReadonlyArray<Layer> = [...inward, "adapter", "composition root", "test", "tools", "examples"]
const composition = ["main.ts", "runtime/", "cli/", "backup/", "doctor/", "receiver/"]
const shared = [
  "settings.ts",
  "settings/",
  "input/",
  "ip-address.ts",
  "atomic-file.ts",
  "response-body.ts",
  "sha256.ts",
  "telemetry/",
  "event-text/",
  "threads/"
]
const within = (folder: string, names: ReadonlyArray<string>) => names.map((name) => `${folder}/${name}`)

export const rules: ReadonlyArray<Rule> = [
  { layer: "domain", files: ["domain/"], layers: ["domain"], outside: "none", effect: "stable" },
  { layer: "ports", files: ["ports/"], layers: ["domain", "ports"], outside: "none", effect: "inner" },
  {
    layer: "projections",
    files: ["projections/"],
    layers: ["domain", "ports", "projections"],
    outside: "none",
    effect: "inner"
  },
  {
    layer: "application",
    files: ["application/"],
    layers: ["domain", "ports", "projections", "application", "sdk"],
    outside: "none",
    effect: "inner"
  },
  { layer: "sdk", files: ["sdk/"], layers: ["sdk"], outside: "none", effect: "stable" },
  {
    layer: "shared infrastructure",
    files: [...within("infrastructure", shared), "infrastructure/stores/dump-lines.ts"],
    layers: ["domain", "ports", "projections", "application", "shared infrastructure"],
    outside: "dependencies",
    effect: "any"
  },
  {
    layer: "composition root",
    files: within("infrastructure", composition),
    layers: [...inward, "adapter", "composition root"],
    outside: "dependencies",
    effect: "any"
  },
  { layer: "adapter", files: ["infrastructure/"], layers: inward, outside: "dependencies", effect: "any" },
  { layer: "test", files: ["test/"], layers: everything, outside: "all", effect: "all" },
  { layer: "tools", files: ["tools/"], layers: ["tools", "shared infrastructure"], outside: "all", effect: "any" },
  // Examples import the package by its name, as their readers do, and no file of it.
  { layer: "examples", files: ["docs/examples/"], layers: ["examples"], outside: "dependencies", effect: "any" },
  { layer: "project root", files: [""], layers: ["project root", "tools"], outside: "all", effect: "any" }
]

/** Files of another layer that single folders may import besides. */
export const exceptions: ReadonlyArray<{ readonly from: string; readonly to: string; readonly why: string }> = [
  { from: "infrastructure/console/", to: "infrastructure/http/", why: "the console is served by the HTTP server" },
  { from: "sdk/client/", to: "infrastructure/http/api/", why: "the client's types are those of the API's declaration" }
]

/** Effect modules of the outside world: what they do is left to adapters, stable or not. */
export const outsideWorld = {
  names: new Set(["FileSystem", "Path", "PlatformError", "Stdio", "Terminal"]),
  areas: new Set([
    "ai",
    "cli",
    "cluster",
    "crypto",
    "devtools",
    "eventlog",
    "graphql",
    "http",
    "http-api",
    "net",
    "observability",
    "persistence",
    "process",
    "rpc",
    "socket",
    "sql",
    "workers",
    "workflow"
  ])
}

/** Stable, but not for the domain: a command brings the time, ids and randomness. */
export const impure = new Set(["Clock", "Console", "Fiber", "Layer", "ManagedRuntime", "Random", "Runtime"])

/** The rule of a file's layer. */
export const ruleOf = (path: string): Rule => {
  const rule = rules.find(({ files }) => files.some((prefix) => path.startsWith(prefix)))
  if (rule === undefined) throw new Error(`no rule for ${path}`)
  return rule
}

/** The adapter that a file of `infrastructure/` belongs to: its folder, or itself where it lies in none. */
export const adapterOf = (path: string): string =>
  path.split("/").slice(0, path.startsWith("infrastructure/stores/") ? 3 : 2).join("/")

/** The folder of a layer that a file stands in: `domain/slip` of `domain/slip/payload.ts`. */
export const folderOf = (path: string): string => path.split("/").slice(0, -1).slice(0, 2).join("/")
