import type { SchemaObject } from "../infrastructure/web/api/openapi/document-types.ts"

/** A field of an object: `name` or `name?`, its type, and what it means. */
interface Field {
  readonly key: string
  readonly type: string
  readonly comment: string
}

/** An object with a name. It has the fields of its bases too. */
interface Shape {
  readonly bases: ReadonlyArray<string>
  readonly fields: ReadonlyArray<Field>
  readonly comment: string
}

/** Types by name: objects, and others such as unions. */
export interface Types {
  readonly shapes: Map<string, Shape>
  readonly aliases: Map<string, string>
}

/** Lines of the written files are at most so long. */
const WIDTH = 120

/** Objects get a base if that saves so many lines. */
const LEAST_SAVED = 3

/** Values that are listed twice get a name when their list is longer than this. */
const LONG_UNION = 60

/** An object in a list gets a name when it has so many fields. */
const MANY_FIELDS = 5

const union = (types: ReadonlyArray<string>): string => [...new Set(types)].join(" | ")

/** Alternatives that only say which fields are required together, such as the one source of a slip. */
const isRule = (schema: SchemaObject): boolean => Object.keys(schema).every((keyword) => keyword === "required")

const isSchema = (value: unknown): value is SchemaObject => typeof value === "object" && value !== null

/** A description as a comment of one line: its first sentence when the whole is too long. */
const commentOf = ({ description = "" }: SchemaObject): string => {
  const text = description.length < WIDTH - 10 ? description : /^.+?[.:;](?= |$)/su.exec(description)?.[0] ?? ""
  return text === "" ? "" : `/** ${text.replace(/[:;]$/u, ".")} */`
}

const lineOf = ({ comment, key, type }: Field): string => {
  const field = `readonly ${key}: ${type}`
  const [first = ""] = field.split("\n")
  return comment === "" ? field : `${comment}${comment.length + first.length > WIDTH - 4 ? "\n" : " "}${field}`
}

const linesOf = (fields: ReadonlyArray<Field>): string => fields.map(lineOf).join("\n")

/** An object on one line, or with a line for each field: when they are long, or several have comments. */
const objectOf = (fields: ReadonlyArray<Field>, width: number): string => {
  const line = `{ ${fields.map(lineOf).join("; ")} }`
  const hasComments = fields.length > 1 && fields.some(({ comment }) => comment !== "")
  return hasComments || line.length > width || line.includes("\n") ? `{\n${linesOf(fields)}\n}` : line
}

/** The types of schemas with a name, and the type of another schema. */
export const typesOf = (named: Readonly<Record<string, SchemaObject>>) => {
  const types: Types = { shapes: new Map(), aliases: new Map() }
  const { aliases, shapes } = types
  const source = JSON.stringify(named)

  /** Values that are listed twice have the name of the field where they are first. */
  const valuesOf = (all: ReadonlyArray<unknown>, name: string): string => {
    const values = all.map((value) => JSON.stringify(value))
    for (const [known, type] of aliases) {
      const listed = type.split(" | ")
      if (!listed.every((value) => values.includes(value))) continue
      return union([...values.filter((value) => !listed.includes(value)), known])
    }
    const type = union(values)
    const list = values.join()
    if (type.length <= LONG_UNION || source.indexOf(list) === source.lastIndexOf(list)) return type
    aliases.set(name, type)
    return name
  }

  const fieldsOf = ({ properties = {}, required = [] }: SchemaObject, owner: string): ReadonlyArray<Field> =>
    Object.entries(properties).map(([name, schema]) => ({
      key: required.includes(name) ? name : `${name}?`,
      type: typeOf(schema, `${owner}${name.slice(0, 1).toUpperCase()}${name.slice(1)}`),
      comment: commentOf(schema)
    }))

  /** An object without a name of its own. */
  const inline = (schema: SchemaObject, name: string, isListed: boolean): string => {
    const fields = fieldsOf(schema, name)
    const equal = [...shapes].find(([, shape]) => linesOf(shape.fields) === linesOf(fields))
    if (equal !== undefined) return equal[0]
    if (!isListed || fields.length < MANY_FIELDS) return objectOf(fields, WIDTH - 20)
    shapes.set(name, { bases: [], fields, comment: "" })
    return name
  }

  const typeOf = (schema: SchemaObject, name: string, isListed = false): string => {
    const { $ref, additionalProperties, anyOf, enum: values, items, oneOf, type } = schema
    if ($ref !== undefined) return $ref.split("/").at(-1) ?? "never"
    if ("const" in schema) return JSON.stringify(schema.const)
    if (values !== undefined) return valuesOf(values, name)
    const options = anyOf ?? oneOf?.filter((option) => !isRule(option)) ?? []
    if (options.length > 0) return union(options.map((option) => typeOf(option, name)))
    if (Array.isArray(type)) return union(type.map((each) => typeOf({ ...schema, type: each }, name)))
    switch (type) {
      case "array":
        return `ReadonlyArray<${items === undefined ? "unknown" : typeOf(items, name.replace(/s$/u, ""), true)}>`
      case "object":
        return isSchema(additionalProperties)
          ? `Readonly<Record<string, ${typeOf(additionalProperties, name)}>>`
          : inline(schema, name, isListed)
      case "integer":
        return "number"
      case "string":
      case "number":
      case "boolean":
      case "null":
        return type
      default:
        throw new Error(`No type of TypeScript for ${JSON.stringify(schema)}`)
    }
  }

  for (const [name, schema] of Object.entries(named)) {
    if (schema.properties === undefined || schema.anyOf !== undefined) aliases.set(name, typeOf(schema, name))
    else shapes.set(name, { bases: [], fields: fieldsOf(schema, name), comment: commentOf(schema) })
  }
  while (shareFields(types));
  return { types, typeOf: (schema: SchemaObject) => typeOf(schema, "") }
}

/** The words of a name that all names have: "Job" of PendingJob and NotFoundJob. */
const commonWords = (names: ReadonlyArray<string>): string => {
  const [first = [], ...others] = names.map((name): ReadonlyArray<string> => name.match(/[A-Z][a-z0-9]*/gu) ?? [])
  const common = first.filter((word) => others.every((words) => words.includes(word))).join("")
  return common === "" ? first.join("") : common
}

/** Fields that several objects have, and the object among them that has no other fields. */
interface Shared {
  readonly saved: number
  readonly users: ReadonlyArray<string>
  readonly fields: ReadonlyArray<Field>
  readonly base: string | undefined
}

const sharedBy = ({ shapes }: Types, fields: ReadonlyArray<Field>): Shared => {
  const users = [...shapes].filter(([, shape]) => {
    const lines = new Set(shape.fields.map(lineOf))
    return fields.every((field) => lines.has(lineOf(field)))
  })
  const base = users.find(([, { bases, fields: all }]) => bases.length === 0 && all.length === fields.length)?.[0]
  const lines = fields.length === 0 ? 0 : linesOf(fields).split("\n").length
  const saved = (users.length - 1) * lines - (base === undefined ? 4 : 0)
  return { saved, users: users.map(([name]) => name), fields, base }
}

/** Gives the objects that share the most lines a base with them; false when none share enough. */
const shareFields = (types: Types): boolean => {
  const { shapes } = types
  let best: Shared | undefined
  for (const one of shapes.values()) {
    for (const other of shapes.values()) {
      if (one === other) continue
      const lines = new Set(other.fields.map(lineOf))
      const shared = sharedBy(types, one.fields.filter((field) => lines.has(lineOf(field))))
      if (shared.saved >= Math.max(LEAST_SAVED, (best?.saved ?? 0) + 1)) best = shared
    }
  }
  if (best === undefined) return false
  const { base = `${commonWords(best.users)}Fields`, fields, users } = best
  const moved = new Set(fields.map(lineOf))
  for (const name of users) {
    const shape = shapes.get(name)
    if (shape === undefined || name === base) continue
    const own = shape.fields.filter((field) => !moved.has(lineOf(field)))
    shapes.set(name, { ...shape, bases: [...shape.bases, base], fields: own })
  }
  if (best.base === undefined && shapes.has(base)) throw new Error(`Two types have the name ${base}`)
  if (best.base === undefined) shapes.set(base, { bases: [], fields, comment: "" })
  return true
}

/** A long list of values fills its lines. Deno fmt would give each a line. */
export const unionOf = (name: string, type: string): string => {
  if (type.length < WIDTH - name.length - 20) return `export type ${name} = ${type}`
  const lines = [" "]
  for (const value of type.split(" | ")) {
    const line = `${lines.at(-1)} | ${value}`
    if (line.length > WIDTH) lines.push(`  | ${value}`)
    else lines[lines.length - 1] = line
  }
  return `// deno-fmt-ignore\nexport type ${name} =\n${lines.join("\n")}`
}

const page = /^\{\n?.*readonly items: ReadonlyArray<(\w+)>\n.*\n?readonly nextCursor: string \| null\n\}$/su

const blockOf = ({ aliases, shapes }: Types, name: string): string => {
  const shape = shapes.get(name)
  if (shape === undefined) return unionOf(name, aliases.get(name) ?? "")
  const { bases, comment, fields } = shape
  const above = comment === "" ? "" : `${comment}\n`
  const object = objectOf(fields, WIDTH)
  const [, item] = page.exec(object) ?? []
  if (item !== undefined) return `${above}export type ${name} = Page<${item}>`
  const line = `export type ${name} = ${[...bases, object].join(" & ")}`
  if (line.length <= WIDTH && !line.includes("\n")) return `${above}${line}`
  return `${above}export interface ${name}${bases.length === 0 ? "" : ` extends ${bases.join(", ")}`} {\n${
    linesOf(fields)
  }\n}`
}

/** The source of types in the order of their names. */
export const sourceOf = (types: Types, names: Iterable<string>): string => {
  const blocks = [...names].sort().map((name) => blockOf(types, name))
  return blocks.map((block, index) => {
    const isLine = !block.includes("\n") && blocks[index + 1]?.includes("\n") === false
    return `${block}${isLine ? "\n" : "\n\n"}`
  }).join("")
}
