import { isBuiltin } from "node:module"
import { posix } from "node:path"
import type { Problem, Tree } from "../tree.ts"
import { findCycles } from "./cycles.ts"
import type { StabilityOf } from "./effect-stability.ts"
import { type Import, readImports } from "./read-imports.ts"
import { adapterOf, exceptions, folderOf, impure, outsideWorld, type Rule, ruleOf } from "./rules.ts"

/** The input of the check, besides the files. */
export interface CheckContext {
  /** The name of this package. Examples import its exports by this name. */
  readonly name: string
  readonly stabilityOf: StabilityOf
  /** Packages that a deployed service has. */
  readonly dependencies: ReadonlySet<string>
  /** Further packages, for development only. */
  readonly devDependencies: ReadonlySet<string>
}

/** Every import that points outward, uses a module that its layer must not use, or closes a cycle. */
export const findImportProblems = (tree: Tree, context: CheckContext): ReadonlyArray<Problem> => {
  const problems: Array<Problem> = []
  const edges = new Map<string, Array<string>>()
  const lines = new Map<string, number>()
  for (const [file, source] of tree) {
    const targets: Array<string> = []
    for (const taken of importsOf(file, source, problems)) {
      const target = isRelative(taken) ? posix.join(posix.dirname(file), taken.specifier) : undefined
      const reason = target === undefined ? packageProblem(file, taken, context) : fileProblem(file, target)
      if (reason !== undefined) problems.push({ file, line: taken.line, reason })
      if (target === undefined || !tree.has(target)) continue
      targets.push(target)
      lines.set(`${file} ${target}`, lines.get(`${file} ${target}`) ?? taken.line)
    }
    edges.set(file, targets)
  }
  for (const { from, to, path } of findCycles(edges)) {
    const reason = `closes a cycle: ${[...path, to].join(" -> ")}`
    problems.push({ file: from, line: lines.get(`${from} ${to}`) ?? 1, reason })
  }
  return [...problems, ...folderCycles(edges)]
}

/** Feature folders that import each other, directly or through others. */
const folderCycles = (edges: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<Problem> => {
  const folders = new Map<string, Array<string>>()
  const examples = new Map<string, string>()
  for (const [file, targets] of edges) {
    if (!/^(domain|projections|application|infrastructure)\//u.test(file)) continue
    for (const target of targets) {
      const [from, to] = [folderOf(file), folderOf(target)]
      if (from === to || !to.includes("/") || !from.includes("/")) continue
      folders.set(from, [...folders.get(from) ?? [], to])
      if (!examples.has(`${from} ${to}`)) examples.set(`${from} ${to}`, file)
    }
  }
  return findCycles(folders).map(({ from, to, path }) => ({
    file: examples.get(`${from} ${to}`) ?? from,
    line: 1,
    reason: `folders import each other: ${[...path, to].join(" -> ")}`
  }))
}

const isRelative = ({ specifier }: Import): boolean => /^\.{1,2}\//u.test(specifier)

const importsOf = (file: string, source: string, problems: Array<Problem>): ReadonlyArray<Import> => {
  try {
    return readImports(file, source)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split("\n")[0] : String(cause)
    problems.push({ file, line: 1, reason: `cannot be parsed: ${reason}` })
    return []
  }
}

const fileProblem = (file: string, target: string): string | undefined => {
  const from = ruleOf(file)
  const to = ruleOf(target)
  if (exceptions.some((allowed) => file.startsWith(allowed.from) && target.startsWith(allowed.to))) return undefined
  if (from.layer === "adapter" && to.layer === "adapter") {
    return adapterOf(file) === adapterOf(target)
      ? undefined
      : `adapters do not import each other: ${adapterOf(file)} imports ${target}`
  }
  return from.layers.includes(to.layer) ? undefined : `points outward: ${from.layer} imports ${to.layer}, ${target}`
}

const packageProblem = (file: string, { names, specifier }: Import, context: CheckContext): string | undefined => {
  const rule = ruleOf(file)
  if (/^(\/|\w+:\/)/u.test(specifier)) return `import by a relative path: ${specifier}`
  if (/^effect(\/|$)/u.test(specifier)) {
    const reasons = (names.length === 0 ? ["*"] : names).map((name) => effectProblem(rule, specifier, name, context))
    return reasons.find((reason) => reason !== undefined)
  }
  if (isBuiltin(specifier)) {
    if (!specifier.startsWith("node:")) return `write node:${specifier}`
    return rule.outside === "none" ? `${rule.layer} touches no platform: ${specifier}` : undefined
  }
  const name = specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/")
  if (rule.outside === "none") return `${rule.layer} uses no packages but effect: ${specifier}`
  if (name === context.name) return rule.layer === "examples" ? undefined : `import by a relative path: ${specifier}`
  if (context.dependencies.has(name)) return undefined
  if (!context.devDependencies.has(name)) return `package.json does not name ${name}`
  return rule.outside === "all" ? undefined : `${name} is a development dependency: a deployed service lacks it`
}

const effectProblem = (rule: Rule, specifier: string, name: string, context: CheckContext): string | undefined => {
  const area = specifier.split("/")[1] ?? ""
  const module = specifier === "effect" ? name : area
  if (rule.effect === "all") return undefined
  if (area === "testing") return "effect/testing is for tests"
  if (rule.effect === "any") return undefined
  if (outsideWorld.areas.has(area) || outsideWorld.names.has(module)) {
    return `${rule.layer} does not reach the outside world: ${module} of ${specifier}`
  }
  if (rule.effect === "inner") return undefined
  if (impure.has(module)) return `${rule.layer} decides without ${module}: pass in what it would give`
  if (specifier === "effect" && name === "*") return `${rule.layer} imports from effect by name`
  const stability = context.stabilityOf(specifier, name)
  return stability === "stable"
    ? undefined
    : `${rule.layer} takes stable modules only: ${name} of ${specifier} is ${stability ?? "unknown"}`
}
