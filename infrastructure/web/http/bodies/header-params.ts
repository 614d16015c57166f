// Runs in the body thread too: it loads no Effect.

/** The value of a header such as `form-data; name="image"`, and its parameters by their name in lower case. */
export interface HeaderValue {
  /** In lower case. */
  readonly value: string
  readonly params: ReadonlyMap<string, string>
}

const NAME = /\s*([^\s=;"]+)\s*=\s*/uy

/**
 * A quoted text that a semicolon or the end follows. A backslash escapes a quote, which is how older browsers write it;
 * before other characters it is part of the text, as in a path of Windows.
 */
const QUOTED = /"((?:[^"\\]|\\.)*)"\s*(?=;|$)/uy

/** Quotes around a text with unescaped quotes, or with a backslash at its end, which browsers send as it is. */
const LOOSELY_QUOTED = /"(.*)"\s*$/uy

/** Some clients write no quotes, also around spaces. */
const UNQUOTED = /([^;]*)/uy

const EMPTY = /\s*(?=;|$)/uy

/** What a sticky pattern finds at an index; undefined when it does not match there. */
const matchAt = (pattern: RegExp, text: string, index: number) => {
  pattern.lastIndex = index
  const [whole, first = ""] = pattern.exec(text) ?? []
  return whole === undefined ? undefined : { first, end: index + whole.length }
}

const valueAt = (text: string, index: number) => {
  if (text[index] !== '"') {
    const found = matchAt(UNQUOTED, text, index)
    return found === undefined ? undefined : { ...found, first: found.first.trimEnd() }
  }
  const quoted = matchAt(QUOTED, text, index)
  return quoted === undefined
    ? matchAt(LOOSELY_QUOTED, text, index)
    : { ...quoted, first: quoted.first.replaceAll(/\\(["\\])/gu, "$1") }
}

/** Reads a header with parameters as clients write it; undefined when it is malformed or repeats a parameter. */
export const parseHeaderValue = (text: string): HeaderValue | undefined => {
  const first = text.indexOf(";")
  const value = (first === -1 ? text : text.slice(0, first)).trim().toLowerCase()
  const params = new Map<string, string>()
  let index = first === -1 ? text.length : first
  while (index < text.length) {
    // Each round begins at a semicolon.
    const empty = matchAt(EMPTY, text, index + 1)
    if (empty !== undefined) {
      index = empty.end
      continue
    }
    const name = matchAt(NAME, text, index + 1)
    const found = name === undefined ? undefined : valueAt(text, name.end)
    const key = name?.first.toLowerCase() ?? ""
    if (found === undefined || params.has(key)) return undefined
    params.set(key, found.first)
    index = found.end
  }
  return { value, params }
}
