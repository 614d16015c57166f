/** The layers of the code. A file belongs to the first layer that has a prefix of its path. */
export type Layer =
  | "domain"
  | "ports"
  | "projections"
  | "application"
  | "sdk"
  | "views"
  | "declaration of the API"
  | "helpers"
  | "platform"
  | "operations of operators"
  | "web"
  | "adapter"
  | "runtime"
  | "commands"
  | "composition root"
  | "test"
  | "benchmarks"
  | "tools"
  | "examples"
  | "project root"

/**
 * The modules of Effect that a layer may import.
 *
 * - `stable`: modules tagged `@stability stable`, by named imports
 * - `inner`: the same and other modules that do not reach the outside world
 * - `any`: everything but `effect/testing`
 * - `all`: everything
 */
export type EffectUse = "stable" | "inner" | "any" | "all"

/** The npm packages and `node:` modules that a layer may import: none, `dependencies`, or also development packages. */
export type OutsideUse = "none" | "dependencies" | "all"

export interface Rule {
  readonly layer: Layer
  readonly files: ReadonlyArray<string>
  /** Layers that files of this layer may import. An adapter may also import its own folder. */
  readonly layers: ReadonlyArray<Layer>
  readonly outside: OutsideUse
  readonly effect: EffectUse
}

const inward: ReadonlyArray<Layer> = ["domain", "ports", "projections", "application", "sdk", "views"]
const platform: ReadonlyArray<Layer> = ["helpers", "platform"]
const web: ReadonlyArray<Layer> = ["declaration of the API", "operations of operators", "web"]
const everything: ReadonlyArray<Layer> = [
  ...inward,
  ...platform,
  ...web,
  "adapter",
  "runtime",
  "commands",
  "composition root",
  "test",
  "tools",
  "examples"
]

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
  { layer: "views", files: ["application/views/"], layers: ["domain", "views"], outside: "none", effect: "inner" },
  {
    layer: "application",
    files: ["application/"],
    layers: ["domain", "ports", "projections", "views", "application", "sdk"],
    outside: "none",
    effect: "inner"
  },
  { layer: "sdk", files: ["sdk/"], layers: ["sdk"], outside: "none", effect: "stable" },
  {
    layer: "platform",
    files: ["settings/", "telemetry/", "dump-lines.ts"].map((name) => `infrastructure/platform/${name}`),
    layers: ["domain", "ports", ...platform],
    outside: "dependencies",
    effect: "any"
  },
  {
    layer: "helpers",
    files: ["infrastructure/platform/"],
    layers: ["helpers"],
    outside: "dependencies",
    effect: "any"
  },
  {
    layer: "declaration of the API",
    files: ["infrastructure/web/api/"],
    layers: ["domain", "views", "helpers", "declaration of the API"],
    outside: "none",
    effect: "inner"
  },
  {
    layer: "operations of operators",
    files: ["operators", "input", "languages", "event-text"].map((folder) => `infrastructure/web/${folder}/`),
    layers: [...inward, "helpers", "declaration of the API", "operations of operators"],
    outside: "none",
    effect: "inner"
  },
  {
    layer: "web",
    files: ["infrastructure/web/"],
    layers: [...inward, ...platform, ...web],
    outside: "dependencies",
    effect: "any"
  },
  {
    layer: "adapter",
    files: ["infrastructure/adapters/"],
    layers: [...inward, ...platform],
    outside: "dependencies",
    effect: "any"
  },
  {
    layer: "runtime",
    files: ["infrastructure/runtime/"],
    layers: [...inward, ...platform, ...web, "adapter", "runtime"],
    outside: "dependencies",
    effect: "any"
  },
  {
    layer: "commands",
    files: ["infrastructure/commands/"],
    layers: [...inward, ...platform, ...web, "adapter", "runtime", "commands"],
    outside: "dependencies",
    effect: "any"
  },
  {
    layer: "composition root",
    files: ["infrastructure/main.ts", "infrastructure/cli/"],
    layers: ["runtime", "commands"],
    outside: "dependencies",
    effect: "any"
  },
  { layer: "test", files: ["test/"], layers: everything, outside: "all", effect: "all" },
  {
    layer: "benchmarks",
    files: ["bench/"],
    layers: [...everything.filter((layer) => layer !== "tools" && layer !== "examples"), "benchmarks"],
    outside: "all",
    effect: "any"
  },
  {
    layer: "tools",
    files: ["tools/"],
    // Pages of docs/ are written from the declarations of the code.
    layers: ["tools", "domain", ...platform, ...web],
    outside: "all",
    effect: "any"
  },
  // Examples import the package by its name, as users do, and none of its files.
  { layer: "examples", files: ["docs/examples/"], layers: ["examples"], outside: "dependencies", effect: "any" },
  { layer: "project root", files: [""], layers: ["project root", "tools"], outside: "all", effect: "any" }
]

/** Exceptions: files of another layer that a folder may also import. */
export const exceptions: ReadonlyArray<{ readonly from: string; readonly to: string; readonly why: string }> = [
  {
    from: "infrastructure/web/docs/site.ts",
    to: "tools/docs-site/render-thread.ts",
    why: "a clone has no rendered documentation"
  },
  { from: "test/bench/", to: "bench/", why: "the benchmarks' baselines are tested" },
  { from: "tools/screenshots/", to: "test/", why: "the pictures show the data and the pages that the tests open" }
]

/** Effect modules that reach the outside world. Only adapters may use them, stable or not. */
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

/** Stable modules that the domain must not use: commands carry the time, ids and randomness. */
export const impure = new Set(["Clock", "Console", "Fiber", "Layer", "ManagedRuntime", "Random", "Runtime"])

/** The rule of a file's layer. */
export const ruleOf = (path: string): Rule => {
  const rule = rules.find(({ files }) => files.some((prefix) => path.startsWith(prefix)))
  if (rule === undefined) throw new Error(`no rule for ${path}`)
  return rule
}

/** The adapter that a file of `infrastructure/adapters/` belongs to: its folder; each engine of the stores is one. */
export const adapterOf = (path: string): string =>
  path.split("/").slice(0, path.startsWith("infrastructure/adapters/stores/") ? 4 : 3).join("/")

/** The folder of a file within its layer: `domain/slip` for `domain/slip/payload.ts`. */
export const folderOf = (path: string): string => {
  const depth = path.startsWith("infrastructure/web/http/") ? 4 : path.startsWith("infrastructure/") ? 3 : 2
  return path.split("/").slice(0, -1).slice(0, depth).join("/")
}
