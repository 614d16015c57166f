import { JsonSchema, Schema } from "effect"
import type { Wire } from "../operation.ts"
import type { SchemaObject } from "./document-types.ts"
import { tidySchema } from "./tidy-schema.ts"

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
