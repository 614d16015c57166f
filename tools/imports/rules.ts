/** The rooms of the house. A file belongs to the first room one of whose prefixes its path begins with. */
export type Room =
  | "domain"
  | "application"
  | "projections"
  | "shared infrastructure"
  | "composition root"
  | "adapter"
  | "test"
  | "tools"
  | "examples"
  | "project root"

/**
 * What a room may take from Effect.
 *
 * - `stable`: modules tagged `@stability stable`, by named imports
 * - `inner`: the same and other modules that do not reach the outside world
 * - `any`: everything but `effect/testing`
 * - `all`: everything
 */
export type EffectUse = "stable" | "inner" | "any" | "all"

/** Which npm packages and `node:` modules a room may take: none, those of `dependencies`, or development's too. */
export type OutsideUse = "none" | "dependencies" | "all"

export interface Rule {
  readonly room: Room
  readonly files: ReadonlyArray<string>
  /** Files of these rooms. An adapter reaches its own folder besides, and no other adapter's. */
  readonly rooms: ReadonlyArray<Room>
  readonly outside: OutsideUse
  readonly effect: EffectUse
}

const inward: ReadonlyArray<Room> = ["domain", "application", "projections", "shared infrastructure"]
const composition = ["infrastructure/main.ts", "infrastructure/runtime/", "infrastructure/cli/"]
const shared = [
  "infrastructure/settings/",
  "infrastructure/sha256.ts",
  "infrastructure/observability/",
  "infrastructure/story/"
]

export const rules: ReadonlyArray<Rule> = [
  { room: "domain", files: ["domain/"], rooms: ["domain"], outside: "none", effect: "stable" },
  { room: "application", files: ["application/"], rooms: ["domain", "application"], outside: "none", effect: "inner" },
  {
    room: "projections",
    files: ["projections/"],
    rooms: ["domain", "application", "projections"],
    outside: "none",
    effect: "inner"
  },
  {
    room: "shared infrastructure",
    files: shared,
    rooms: ["domain", "application", "shared infrastructure"],
    outside: "dependencies",
    effect: "any"
  },
  {
    room: "composition root",
    files: composition,
    rooms: [...inward, "adapter", "composition root"],
    outside: "dependencies",
    effect: "any"
  },
  { room: "adapter", files: ["infrastructure/"], rooms: inward, outside: "dependencies", effect: "any" },
  {
    room: "test",
    files: ["test/"],
    rooms: [...inward, "adapter", "composition root", "test", "tools", "examples"],
    outside: "all",
    effect: "all"
  },
  { room: "tools", files: ["tools/"], rooms: ["tools", "shared infrastructure"], outside: "all", effect: "any" },
  // What readers copy: it has the package by name, as they do, and nothing of it by path.
  { room: "examples", files: ["docs/examples/"], rooms: ["examples"], outside: "dependencies", effect: "any" },
  { room: "project root", files: [""], rooms: ["project root", "tools"], outside: "all", effect: "any" }
]

/** Effect modules of the outside world: what they do is an adapter's business, stable or not. */
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

/** Stable, but not for the domain: a decision gets the time, ids and randomness with its command. */
export const impure = new Set(["Clock", "Console", "Fiber", "Layer", "ManagedRuntime", "Random", "Runtime"])

/** The rule that a file stands under. */
export const ruleOf = (path: string): Rule => {
  const rule = rules.find(({ files }) => files.some((prefix) => path.startsWith(prefix)))
  if (rule === undefined) throw new Error(`no rule for ${path}`)
  return rule
}

/** The adapter that a file of `infrastructure/` belongs to: its folder, or itself where it lies in none. */
export const adapterOf = (path: string): string => path.split("/").slice(0, 2).join("/")
