const decode = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The decoded parts of a path below a base of one part, such as `/console`. */
export const partsOf = (path: string): ReadonlyArray<string> =>
  path.split("/").slice(2).filter((part) => part !== "").map(decode)

/** The texts that the parts `:` of a pattern matched; undefined when the path does not match. */
export const matchPath = (pattern: string, parts: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const patternParts = pattern.split("/").filter((part) => part !== "")
  if (patternParts.length !== parts.length) return undefined
  const isMatch = patternParts.every((part, index) => part === ":" || part === parts[index])
  return isMatch ? parts.filter((_, index) => patternParts[index] === ":") : undefined
}

/** The first entry whose pattern matches, with the texts that `:` matched. Patterns are paths below the base. */
export const findEntry = <Entry extends object>(
  entries: Readonly<Record<string, Entry>>,
  parts: ReadonlyArray<string>
) => {
  for (const [pattern, entry] of Object.entries(entries)) {
    const params = matchPath(pattern, parts)
    if (params !== undefined) return { ...entry, params }
  }
  return undefined
}

const MAX_PATH_LENGTH = 2_048

/** Printable characters; no second slash after the base, which browsers read as a host. */
const PATH = /^(\/[a-z]+)(?:[/?](?!\/)[\x21-\x7e]*)?$/u

/** Browsers resolve `..`, also when it is encoded. The path must stay below the base after that. */
const staysBelow = (base: string, path: string): boolean => {
  const { pathname } = new URL(path, "http://pages.invalid")
  return pathname === base || pathname.startsWith(`${base}/`)
}

/** A path below `base` that a redirect may use. Any other path becomes `base`. */
export const ownPath = (base: string) => (path: string | null): string => {
  const isOwn = path !== null && path.length <= MAX_PATH_LENGTH && PATH.exec(path)?.[1] === base
    && !path.includes("\\") && staysBelow(base, path)
  return isOwn ? path : base
}

/** A path with a query of the fields that have a value. */
export const withQuery = (path: string, fields: Readonly<Record<string, string | undefined>>): string => {
  const query = new URLSearchParams(Object.entries(fields).flatMap(([name, value]) => value ? [[name, value]] : []))
  return query.size === 0 ? path : `${path}?${query.toString()}`
}
