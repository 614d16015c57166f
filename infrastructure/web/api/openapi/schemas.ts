import { JsonSchema, Schema } from "effect"
import type { Wire } from "../operation.ts"
import type { SchemaObject } from "./document-types.ts"

const isSchema = (value: unknown): value is SchemaObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isNull = ({ type }: SchemaObject): boolean => type === "null"

/** Replaces `anyOf` of a schema and null by one schema of two types, when the meaning is the same. */
const nullable = (schema: SchemaObject): SchemaObject => {
  const { anyOf, ...others } = schema
  if (anyOf?.length !== 2 || !anyOf.some(isNull)) return schema
  const [inner = {}] = anyOf.filter((option) => !isNull(option))
  const { type } = inner
  return typeof type === "string" && inner.enum === undefined && inner.const === undefined
    ? { ...inner, type: [type, "null"], ...others }
    : schema
}

/** Replaces an `enum` of one value by `const`. */
const constant = (schema: SchemaObject): SchemaObject => {
  const { enum: values, ...others } = schema
  return values?.length === 1 ? { ...others, const: values[0] } : schema
}

/** Merges the parts of `allOf` into the schema, when no keyword occurs twice. */
const flat = (schema: SchemaObject): SchemaObject => {
  const { allOf, ...others } = schema
  const parts = allOf ?? []
  const keywords = [others, ...parts].flatMap((part) => Object.keys(part))
  if (parts.length === 0 || new Set(keywords).size !== keywords.length) return schema
  return Object.assign({}, others, ...parts)
}

/** Bounds of every integer, which carry no information. */
const SAFE_BOUNDS = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]

const isNoise = ([keyword, value]: readonly [string, unknown]): boolean =>
  (keyword === "additionalProperties" && value === true)
  || ((keyword === "minimum" || keyword === "maximum") && SAFE_BOUNDS.includes(Number(value)))

const tidyValue = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(tidyValue)
  return isSchema(value) ? tidySchema(value) : value
}

/** Keywords whose values are data and not schemas. They stay unchanged. */
const DATA_KEYWORDS = ["enum", "const", "default", "examples"]

/** A shorter schema with the same meaning. */
const tidySchema = (schema: SchemaObject): SchemaObject => {
  const entries = Object.entries(schema).filter((entry) => !isNoise(entry))
  const tidied: SchemaObject = Object.fromEntries(
    entries.map(([keyword, value]) => [keyword, DATA_KEYWORDS.includes(keyword) ? value : tidyValue(value)])
  )
  return constant(nullable(flat(tidied)))
}

/** The schemas of a document. Those with a name are defined once and referenced. */
export interface Schemas {
  /** A schema for the place where it is used; a reference if it has a name. */
  readonly of: (schema: Wire) => SchemaObject
  /** All schemas with a name, by name. */
  readonly named: () => Readonly<Record<string, SchemaObject>>
}

export const makeSchemas = (): Schemas => {
  const named = new Map<string, SchemaObject>()
  return {
    of: (schema) => {
      const { definitions, ...document } = Schema.toJsonSchemaDocument(schema)
      const { definitions: ours, schemas: [own] } = JsonSchema.toMultiDocumentOpenApi3_1({
        dialect: document.dialect,
        definitions,
        schemas: [document.schema]
      })
      for (const [name, definition] of Object.entries(ours)) {
        const tidied = tidySchema(definition)
        const known = named.get(name)
        if (known !== undefined && JSON.stringify(known) !== JSON.stringify(tidied)) {
          throw new Error(`two schemas have the name ${name}`)
        }
        named.set(name, tidied)
      }
      return tidySchema(own)
    },
    named: () => Object.fromEntries([...named].sort(([one], [other]) => one < other ? -1 : 1))
  }
}
