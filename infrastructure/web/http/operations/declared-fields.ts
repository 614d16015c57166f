import { SchemaAST } from "effect"
import type { Fields } from "../../input/decode.ts"
import type { Issue } from "../../api/failures.ts"
import type { Body, Wire } from "../../api/operation.ts"
import type { KnownFields } from "../bodies/request-digests.ts"

type Property = SchemaAST.Objects["propertySignatures"][number]

const propertiesOf = (ast: SchemaAST.AST): ReadonlyArray<Property> =>
  SchemaAST.isObjects(ast) ? ast.propertySignatures : []

const declaredIn = (wire: Wire): ReadonlyArray<Property> => propertiesOf(SchemaAST.toEncoded(wire.ast))

const namesOf = (properties: ReadonlyArray<Property>): ReadonlyArray<string> =>
  properties.flatMap(({ name }) => typeof name === "string" ? [name] : [])

/** The fields that an operation reads, in any of its encodings. */
export const knownFields = ({ form, json, urlencoded }: Body): KnownFields => {
  const fields = declaredIn(json)
  const others = [form, urlencoded].flatMap((wire) => wire === undefined ? [] : declaredIn(wire))
  const names = [...new Set(namesOf([...fields, ...others]))]
  const slips = fields.find(({ name }) => name === "slips")?.type
  return slips !== undefined && SchemaAST.isArrays(slips)
    ? { names, ofSlips: namesOf(slips.rest.flatMap(propertiesOf)) }
    : { names }
}

const isNullable = (ast: SchemaAST.AST): boolean => SchemaAST.isUnion(ast) && ast.types.some(SchemaAST.isNull)

const CLEARS = "The text is empty: send null to clear the field"
const KEEPS = "The text is empty, and this field cannot be cleared: leave it out to keep its value"

/**
 * Finds the empty texts in the JSON of a change, each as an issue that says how to clear the field (docs/spec/http.md,
 * "Conventions").
 */
export const emptyTexts = (json: Wire): (fields: Fields) => ReadonlyArray<Issue> => {
  const properties = declaredIn(json)
  return (fields) =>
    properties.flatMap(({ name, type }) =>
      typeof name === "string" && fields[name] === ""
        ? [{ path: name, message: isNullable(type) ? CLEARS : KEEPS }]
        : []
    )
}
