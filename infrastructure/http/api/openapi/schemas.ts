import { JsonSchema, Schema } from "effect"
import type { Wire } from "../operation.ts"
import type { SchemaObject } from "./document-types.ts"

/** Whatever is there, as a schema. */
const isSchema = (value: unknown): value is SchemaObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isNull = ({ type }: SchemaObject): boolean => type === "null"

/** `anyOf` of something and null: one schema of two types, where that says the same. */
const nullable = (schema: SchemaObject): SchemaObject => {
  const { anyOf, ...rest } = schema
  if (anyOf?.length !== 2 || !anyOf.some(isNull)) return schema
  const [other = {}] = anyOf.filter((one) => !isNull(one))
  const { type } = other
  return typeof type === "string" && other.enum === undefined && other.const === undefined
    ? { ...other, type: [type, "null"], ...rest }
    : schema
}

/** One value of its own type. */
const constant = (schema: SchemaObject): SchemaObject => {
  const { enum: values, ...rest } = schema
  return values?.length === 1 ? { ...rest, const: values[0] } : schema
}

/** `allOf` of one schema whose keywords nothing else has. */
const flat = (schema: SchemaObject): SchemaObject => {
  const { allOf, ...rest } = schema
  const parts = allOf ?? []
  const keywords = [rest, ...parts].flatMap((one) => Object.keys(one))
  if (parts.length === 0 || new Set(keywords).size !== keywords.length) return schema
  return Object.assign({}, rest, ...parts)
}

/** Bounds of what a double can hold exactly say nothing. */
const SAFE = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]

const isNoise = ([keyword, value]: readonly [string, unknown]): boolean =>
  (keyword === "additionalProperties" && value === true)
  || ((keyword === "minimum" || keyword === "maximum") && SAFE.includes(Number(value)))

const within = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(within)
  return isSchema(value) ? tidySchema(value) : value
}

/** Values, which are none of our business whatever they look like. */
const VALUES = ["enum", "const", "default", "examples"]

/** The same schema as a person would have written it. */
const tidySchema = (schema: SchemaObject): SchemaObject => {
  const entries = Object.entries(schema).filter((entry) => !isNoise(entry))
  const tidied: SchemaObject = Object.fromEntries(
    entries.map(([keyword, value]) => [keyword, VALUES.includes(keyword) ? value : within(value)])
  )
  return constant(nullable(flat(tidied)))
}

/** The schemas of a document: those with a name are told once, and referred to. */
export interface Schemas {
  /** A schema as it stands where it is used. */
  readonly of: (schema: Wire) => SchemaObject
  /** All that have a name, by it. */
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
