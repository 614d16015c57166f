import type { Document, SchemaObject } from "../../infrastructure/web/api/openapi/document-types.ts"

/** The fields of an object, as a document states them or as the declaration has them. */
export type Shape = ReadonlyMap<string, Field>

export interface Field {
  readonly isOptional: boolean
  readonly isNullable: boolean
  /** The fields of its object, or of the objects in its list. Undefined when it has none, or the document does not say. */
  readonly inner: Shape | undefined
}

/** The code spans of a text in Markdown, each in one line. */
export const codeSpans = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/`([^`]+)`/gu)].map(([, code = ""]) =>
    code.replaceAll("\\|", "|").replaceAll(/\s+/gu, " ").replaceAll(/ ?\| ?/gu, "|")
  )

const TOKEN = /\s*(?:(?<name>[a-zA-Z]\w*)(?:\[\])?(?<optional>\?)?(?<nullable>\|null)?(?<typed>: ?)?|(?<sign>.))/yu

/** Reads `{a, b?, c|null, d: {e}, f: [{g}]|null, h: "text"}` from `at` on; undefined for another text. */
const readShape = (text: string, at: number): { readonly shape: Shape; readonly end: number } | undefined => {
  const fields = new Map<string, Field>()
  let position = at + 1
  while (text[at] === "{") {
    TOKEN.lastIndex = position
    const { name, nullable, optional, typed } = TOKEN.exec(text)?.groups ?? {}
    if (name === undefined) return undefined
    position = TOKEN.lastIndex
    let inner: Shape | undefined
    let isNull = nullable !== undefined
    if (typed !== undefined) {
      const opening = text[position] === "[" ? position + 1 : position
      const nested = readShape(text, opening)
      const plain = /^(?:\[ ?… ?\]|"[^"]*"|\w+)/u.exec(text.slice(position))?.[0]
      if (nested === undefined && plain === undefined) return undefined
      inner = nested?.shape
      position = nested === undefined ? position + (plain?.length ?? 0) : nested.end + (opening - position)
      isNull ||= plain === "null" || text.startsWith("|null", position)
      if (text.startsWith("|null", position)) position += "|null".length
    }
    fields.set(name, { isOptional: optional !== undefined, isNullable: isNull, inner })
    const sign = text.slice(position).trimStart()[0]
    position = text.indexOf(sign ?? "", position) + 1
    if (sign === "}") return { shape: fields, end: position }
    if (sign !== ",") return undefined
  }
  return undefined
}

/** The objects that a text states in code spans: `{a, b?}`, `name: {a}` or `name {a}`. */
export const statedShapes = (text: string): ReadonlyArray<Shape> =>
  codeSpans(text).flatMap((code) => {
    const opening = /^(?:\w+:? ?)?\[?(?=\{)/u.exec(code)?.[0].length
    const read = opening === undefined ? undefined : readShape(code, opening)
    return read === undefined ? [] : [read.shape]
  })

/** A table of a document: the cells of its head and of its rows. */
export interface Table {
  readonly head: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

export const tablesOf = (text: string): ReadonlyArray<Table> =>
  [...text.matchAll(/(?:^\|.*\n)+/gmu)].map(([lines]) => {
    const [head = [], , ...rows] = lines.trimEnd().split("\n").map((line) =>
      line.replace(/\|$/u, "").split(/(?<!\\)\|/u).slice(1).map((cell) => cell.trim())
    )
    return { head, rows }
  })

/** The words in code spans of a text that may be names. */
export const codeNames = (text: string): Array<string> => codeSpans(text).filter((code) => /^[\w.-]+$/u.test(code))

const propertyOf = ({ properties = {} }: SchemaObject, name: string): ReadonlyArray<SchemaObject> => {
  const schema = properties[name]
  return schema === undefined ? [] : [schema]
}

/** The objects of an OpenAPI document. */
export const declaredShapes = ({ components }: Document) => {
  /** A schema and its alternatives without references; null is one of them. */
  const alternatives = (schema: SchemaObject): ReadonlyArray<SchemaObject> => {
    if (schema.$ref !== undefined) return alternatives(components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {})
    return schema.anyOf === undefined ? [schema] : schema.anyOf.flatMap((one) => alternatives(one))
  }

  const shapeOf = (schema: SchemaObject): Shape | undefined => {
    const objects = alternatives(schema).flatMap((one) => one.items === undefined ? [one] : alternatives(one.items))
      .filter(({ properties }) => properties !== undefined)
    if (objects.length === 0) return undefined
    const names = new Set(objects.flatMap(({ properties = {} }) => Object.keys(properties)))
    return new Map([...names].map((name) => {
      const own = objects.flatMap((one) => propertyOf(one, name))
      return [name, {
        isOptional: !objects.every(({ required = [] }) => required.includes(name)),
        isNullable: own.flatMap((one) => alternatives(one)).some(({ type = "" }) => [type].flat().includes("null")),
        inner: shapeOf({ anyOf: own })
      }]
    }))
  }

  return {
    shapeOf,
    /** The schema with this name. */
    named: (name: string): SchemaObject => {
      const schema = components.schemas[name]
      if (schema === undefined) throw new Error(`no schema has the name ${name}`)
      return schema
    },
    /** The texts that a value may be; of an object, those of a field. */
    valuesOf: (schema: SchemaObject, field: string): ReadonlyArray<unknown> =>
      alternatives(schema).flatMap((one) => propertyOf(one, field))
        .flatMap((one) => alternatives(one)).flatMap(({ const: only, enum: some, items }) =>
          [only ?? some ?? items?.enum ?? []].flat()
        )
  }
}

export type Declared = ReturnType<typeof declaredShapes>

/** An object with those inside it. */
export const withInner = (shape: Shape): ReadonlyArray<Shape> => [
  shape,
  ...[...shape.values()].flatMap(({ inner }) => inner === undefined ? [] : withInner(inner))
]

/** Whether a document states exactly the fields of a declared object. */
export const isSameShape = (stated: Shape, declared: Shape): boolean =>
  stated.size === declared.size && [...stated].every(([name, field]) => {
    const known = declared.get(name)
    return known !== undefined && field.isOptional === known.isOptional && field.isNullable === known.isNullable
      && (field.inner === undefined || known.inner !== undefined && isSameShape(field.inner, known.inner))
  })

/** A shape in the notation of the documents. */
export const notation = (shape: Shape): string =>
  `{${
    [...shape].map(([name, { inner, isNullable, isOptional }]) =>
      `${name}${isOptional ? "?" : ""}${isNullable ? "|null" : ""}${inner === undefined ? "" : `: ${notation(inner)}`}`
    ).join(", ")
  }}`
