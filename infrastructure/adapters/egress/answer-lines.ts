/**
 * The lines of an answer. They are read leniently, because each exchange has its own connection: a line that cannot be
 * read changes nothing that another exchange sees.
 */

/** The status of a status line, such as 200 for `HTTP/1.1 200 OK`; undefined for any other line. */
export const statusOf = (line: string): number | undefined => {
  const status = /^[\t ]*HTTP\/\d+(?:\.\d+)?[\t ]+(\d{3})(?!\d)/iu.exec(line)?.[1]
  return status === undefined ? undefined : Number(status)
}

/** The header fields of an answer, by names in lower case. */
export interface Fields {
  /** Takes the next line. Ignores one without a name and a value, and one with control characters. */
  readonly add: (line: string) => void
  /** Repeated fields are joined by a comma; of those that have one value the first one counts. */
  readonly all: () => Readonly<Record<string, string>>
}

export const makeFields = (): Fields => {
  const fields = new Map<string, string>()
  let last = ""
  return {
    add: (line) => {
      // A folded line continues the value before it.
      const isFolded = /^[\t ]/u.test(line)
      const colon = line.indexOf(":")
      const name = isFolded ? last : line.slice(0, Math.max(colon, 0)).trim().toLowerCase()
      const value = (isFolded ? line : line.slice(colon + 1)).trim()
      const before = fields.get(name)
      last = isToken.test(name) && !hasControls(value) ? name : ""
      if (last === "" || (before !== undefined && !isFolded && hasOneValue.has(name))) return
      fields.set(name, before === undefined ? value : `${before}${isFolded ? " " : ", "}${value}`)
    },
    all: () => Object.fromEntries(fields)
  }
}

const isToken = /^[!#$%&'*+.^_`|~0-9a-z-]+$/u
/** A horizontal tab is none. */
const hasControls = (value: string): boolean =>
  Buffer.from(value, "latin1").some((byte) => byte === 0x7f || (byte < 0x20 && byte !== 0x09))
const hasOneValue: ReadonlySet<string> = new Set(["content-type", "location", "retry-after"])

/** How the body of an answer ends. */
export type Framing =
  | { readonly _tag: "Length"; readonly bytes: number }
  | { readonly _tag: "Chunks" }
  /** The end of the connection is the end of the body. */
  | { readonly _tag: "Connection" }

/**
 * The framing that a status and its fields declare (RFC 9112, 6.3). Chunks take precedence over a length. A length that
 * is no number, or two different ones, say nothing.
 */
export const framingOf = (status: number, fields: Readonly<Record<string, string>>): Framing => {
  if (status === 204 || status === 304) return { _tag: "Length", bytes: 0 }
  if (listOf(fields["transfer-encoding"]).some((coding) => coding.toLowerCase() === "chunked")) {
    return { _tag: "Chunks" }
  }
  const [length = "", ...others] = new Set(listOf(fields["content-length"]))
  return /^\d+$/u.test(length) && others.length === 0
    ? { _tag: "Length", bytes: Number(length) }
    : { _tag: "Connection" }
}

const listOf = (value = ""): ReadonlyArray<string> => value.split(",").map((item) => item.trim())

/** The size of a chunk in bytes; undefined when the line is no size. Extensions are ignored. */
export const chunkSizeOf = (line: string): number | undefined => {
  const size = /^[\t ]*([0-9a-f]+)[\t ]*(?:;|$)/iu.exec(line)?.[1]
  return size === undefined ? undefined : Number.parseInt(size, 16)
}
