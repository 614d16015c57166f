import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"

/** A Lua script. Redis runs it atomically: no other command runs between its parts. */
export interface Script {
  readonly lua: string
  /** The digest by which the server finds a script that it has loaded. */
  readonly sha1: string
}

export const makeScript = (lua: string): Script => ({ lua, sha1: createHash("sha1").update(lua).digest("hex") })

const read = (file: string): string => readFileSync(new URL(`./lua/${file}.lua`, import.meta.url), "utf8")

const shared = read("shared")

/**
 * The scripts of a file in `lua/`. Each begins with the line `-- script: <name>`. The text before the first such line,
 * and `shared.lua`, are prepended to each. Throws when the file has no script of a name.
 */
export const loadScripts = <Name extends string>(file: string, ...names: ReadonlyArray<Name>): Record<Name, Script> => {
  const [prelude = "", ...sections] = read(file).split(/^-- script: /mu)
  const bodies = new Map(sections.map((section) => {
    const end = section.indexOf("\n")
    return [section.slice(0, end), section.slice(end)]
  }))
  const scripts = names.map((name) => {
    const body = bodies.get(name)
    if (body === undefined) throw new Error(`lua/${file}.lua has no script ${name}`)
    return [name, makeScript(shared + prelude + body)] as const
  })
  return Object.fromEntries(scripts) as Record<Name, Script>
}

// A reply of an unexpected shape is a defect of this program, so these functions throw.

export const listOf = (reply: unknown): ReadonlyArray<unknown> => {
  if (Array.isArray(reply)) return reply
  throw new Error(`a list was expected from Redis, not ${typeof reply}`)
}

export const textOf = (reply: unknown): string => {
  if (typeof reply === "string") return reply
  throw new Error(`a text was expected from Redis, not ${typeof reply}`)
}

export const textsOf = (reply: unknown): ReadonlyArray<string> => listOf(reply).map(textOf)

/** Reads a list of name, value, name, value. */
export const pairsOf = (reply: unknown): ReadonlyArray<readonly [string, string]> => {
  const texts = textsOf(reply)
  return Array.from({ length: texts.length / 2 }, (_, index) => [texts[2 * index] ?? "", texts[2 * index + 1] ?? ""])
}
