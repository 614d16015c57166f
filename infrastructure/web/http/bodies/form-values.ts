import { SchemaAST } from "effect"
import type { Fields } from "../../input/decode.ts"
import type { Wire } from "../../api/operation.ts"
import { asNumber } from "../../input/read-amount.ts"
import { asBoolean, asJson, hasPartsOf } from "./form-text.ts"

type Convert = (value: unknown) => unknown

const isTextLiteral = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isLiteral(ast) ? typeof ast.literal === "string" : SchemaAST.isUnion(ast) && ast.types.every(isTextLiteral)

/** How the text of a form becomes a value of this type; undefined when the type has text itself. */
const converterOf = (ast: SchemaAST.AST): Convert | undefined => {
  if (SchemaAST.isNumber(ast)) return asNumber
  if (SchemaAST.isBoolean(ast)) return asBoolean
  if (SchemaAST.isObjects(ast) || SchemaAST.isArrays(ast)) return asJson
  if (!SchemaAST.isUnion(ast)) return undefined
  // A form has no null, and texts are as in JSON: the other member of a union decides.
  const kinds = ast.types.filter((type) => !SchemaAST.isNull(type) && !isTextLiteral(type))
  return kinds.length === 1 && kinds[0] !== undefined ? converterOf(kinds[0]) : undefined
}

/** Stands for a list or an object in parts, such as `scopes[0]`. The decoder refuses it: no part is ignored. */
const IN_PARTS = "in parts"

const convertField = (fields: Fields, name: string, convert: Convert): Fields => {
  if (convert === asJson && hasPartsOf(name, fields)) return { ...fields, [name]: IN_PARTS }
  return fields[name] === undefined ? fields : { ...fields, [name]: convert(fields[name]) }
}

/**
 * Converts the fields of a form to the types that a body has in JSON (docs/spec/http.md, "Forms"). A text that stands
 * for no value of its type is kept, and the decoder names the field.
 */
export const formReader = (json: Wire): (fields: Fields) => Fields => {
  const encoded = SchemaAST.toEncoded(json.ast)
  const converters = SchemaAST.isObjects(encoded)
    ? encoded.propertySignatures.flatMap(({ name, type }) => {
      const convert = converterOf(type)
      return typeof name === "string" && convert !== undefined ? [{ name, convert }] : []
    })
    : []
  return (fields) => converters.reduce((all, { convert, name }) => convertField(all, name, convert), fields)
}
