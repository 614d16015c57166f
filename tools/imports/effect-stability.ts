import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** `stable`, `unstable`, `experimental`, or undefined where Effect's sources say nothing. */
export type StabilityOf = (specifier: string, name: string) => string | undefined

/**
 * Reads the `@stability` tags in the sources that the effect package ships. Index modules are tagged export by
 * export, the others by the comment at their top. Single members of a stable module may still be unstable.
 */
export const stabilityFrom = (effectFolder: string): StabilityOf => {
  const read = new Map<string, Tags>()
  return (specifier, name) => {
    const tags = read.get(specifier) ?? tagsOf(effectFolder, specifier)
    read.set(specifier, tags)
    return tags.names.get(name) ?? tags.module
  }
}

interface Tags {
  readonly module: string | undefined
  readonly names: ReadonlyMap<string, string>
}

const tagsOf = (effectFolder: string, specifier: string): Tags => {
  const module = join(effectFolder, "src", specifier.slice("effect".length))
  const file = existsSync(`${module}.ts`) ? `${module}.ts` : join(module, "index.ts")
  if (!existsSync(file)) return { module: undefined, names: new Map() }
  const source = readFileSync(file, "utf8")
  const names = new Map<string, string>()
  if (!file.endsWith("index.ts")) return { module: /@stability (\w+)/u.exec(source)?.[1], names }
  for (const [, tag, name] of source.matchAll(/@stability (\w+)(?:(?!\*\/)[^])*\*\/\s*(?:export \* as )?(\w+)/gu)) {
    if (tag !== undefined && name !== undefined) names.set(name, tag)
  }
  return { module: undefined, names }
}
