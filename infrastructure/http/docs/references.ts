import type {
  Components,
  ParameterObject,
  PathItem,
  Reference,
  ResponseObject,
  SchemaObject
} from "../api/openapi/document-types.ts"

/** What the references of a document mean; what is none is what it is. */
export interface References {
  readonly schema: (found: SchemaObject) => SchemaObject
  readonly response: (found: ResponseObject | Reference) => ResponseObject
  readonly parameter: (found: ParameterObject | Reference) => ParameterObject
  readonly pathItem: (found: PathItem | Reference) => PathItem
}

/** `#/components/schemas/Quota` → `Quota` */
export const nameOf = ($ref: string): string => $ref.slice($ref.lastIndexOf("/") + 1)

const isReference = (found: object): found is Reference => "$ref" in found && typeof found.$ref === "string"

const meaning = <A extends object>(named: Readonly<Record<string, A>>) => (found: A | Reference): A => {
  if (!isReference(found)) return found
  const meant = named[nameOf(found.$ref)]
  if (meant === undefined) throw new Error(`the document has no ${found.$ref}`)
  return meant
}

export const makeReferences = ({ parameters, pathItems, responses, schemas }: Components): References => ({
  schema: meaning(schemas),
  response: meaning(responses),
  parameter: meaning(parameters),
  pathItem: meaning(pathItems)
})
