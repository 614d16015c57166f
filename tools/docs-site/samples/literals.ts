import type { Json } from "./sample-request.ts"

/** How a language writes values. */
interface Syntax {
  readonly indent: string
  readonly list: readonly [open: string, close: string]
  readonly object: readonly [open: string, close: string]
  readonly emptyObject: string
  /** A field, or an entry of a map. */
  readonly field: (name: string, value: string) => string
  readonly text: (text: string) => string
  readonly words: { readonly true: string; readonly false: string; readonly null: string }
  /** Whether a comma ends the last of several lines. */
  readonly hasLastComma: boolean
  /** Whether spaces are inside the braces of one line. */
  readonly hasSpaces: boolean
}

/** The width up to which a value stays on one line. */
const WIDTH = 64

const write = (syntax: Syntax) => {
  const literal = (value: Json, margin = ""): string => {
    if (value === null) return syntax.words.null
    if (typeof value === "boolean") return value ? syntax.words.true : syntax.words.false
    if (typeof value === "number") return String(value)
    if (typeof value === "string") return syntax.text(value)
    const inner = margin + syntax.indent
    const isList = Array.isArray(value)
    const [open, close] = isList ? syntax.list : syntax.object
    const parts = isList
      ? value.map((entry: Json) => literal(entry, inner))
      : Object.entries(value).map(([name, entry]: readonly [string, Json]) => syntax.field(name, literal(entry, inner)))
    const isSpaced = syntax.hasSpaces && !isList
    const line = isSpaced ? `${open} ${parts.join(", ")} ${close}` : open + parts.join(", ") + close
    if (parts.length === 0) return isList ? open + close : syntax.emptyObject
    if (line.length <= WIDTH && !line.includes("\n")) return line
    const last = syntax.hasLastComma ? "," : ""
    return `${open}\n${inner}${parts.join(`,\n${inner}`)}${last}\n${margin}${close}`
  }
  return literal
}

/** JSON and JavaScript escape text alike. */
const quoted = (text: string): string => JSON.stringify(text)

/** A value as JSON. */
export const jsonLiteral = write({
  indent: "  ",
  list: ["[", "]"],
  object: ["{", "}"],
  emptyObject: "{}",
  field: (name, value) => `${quoted(name)}: ${value}`,
  text: quoted,
  words: { true: "true", false: "false", null: "null" },
  hasLastComma: false,
  hasSpaces: true
})

/** A value as TypeScript. */
export const typescriptLiteral = write({
  indent: "  ",
  list: ["[", "]"],
  object: ["{", "}"],
  emptyObject: "{}",
  field: (name, value) => `${/^[a-z_$][\w$]*$/iu.test(name) ? name : quoted(name)}: ${value}`,
  text: quoted,
  words: { true: "true", false: "false", null: "null" },
  hasLastComma: false,
  hasSpaces: true
})

/** Text as PHP writes it in single quotes. */
export const phpText = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`

/** A value as PHP. An empty list would stay a list in JSON, so an empty map is an object. */
export const phpLiteral = write({
  indent: "    ",
  list: ["[", "]"],
  object: ["[", "]"],
  emptyObject: "new stdClass()",
  field: (name, value) => `${phpText(name)} => ${value}`,
  text: phpText,
  words: { true: "true", false: "false", null: "null" },
  hasLastComma: true,
  hasSpaces: false
})

/** A value as Python. Its escapes of text include those of JSON. */
export const pythonLiteral = write({
  indent: "    ",
  list: ["[", "]"],
  object: ["{", "}"],
  emptyObject: "{}",
  field: (name, value) => `${quoted(name)}: ${value}`,
  text: quoted,
  words: { true: "True", false: "False", null: "None" },
  hasLastComma: true,
  hasSpaces: false
})

/** Text in single quotes, as a POSIX shell reads it. */
export const shellText = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
