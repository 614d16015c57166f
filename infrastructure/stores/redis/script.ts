import { createHash } from "node:crypto"

/** A Lua script that Redis runs in one step, which nothing comes between. */
export interface Script {
  readonly lua: string
  /** Digest by which the server finds a script that it has seen before. */
  readonly sha1: string
}

/** The parts of a script, in order: shared functions first. */
export const script = (...parts: ReadonlyArray<string>): Script => {
  const lua = parts.join("\n")
  return { lua, sha1: createHash("sha1").update(lua).digest("hex") }
}
