import type {
  Components,
  ParameterObject,
  PathItem,
  Reference,
  ResponseObject,
  SchemaObject
} from "../../infrastructure/web/api/openapi/document-types.ts"
import { type Content, markup } from "../../infrastructure/web/pages/html.ts"

/** Resolves the `$ref`s of a document. An object without `$ref` is returned unchanged. */
export interface References {
  readonly schema: (found: SchemaObject) => SchemaObject
  readonly response: (found: ResponseObject | Reference) => ResponseObject
  readonly parameter: (found: ParameterObject | Reference) => ParameterObject
  readonly pathItem: (found: PathItem | Reference) => PathItem
}

/** `#/components/schemas/Quota` → `Quota` */
const nameOf = ($ref: string): string => $ref.slice($ref.lastIndexOf("/") + 1)

const isReference = (found: object): found is Reference => "$ref" in found && typeof found.$ref === "string"

const resolver = <A extends object>(components: Readonly<Record<string, A>>) => (found: A | Reference): A => {
  if (!isReference(found)) return found
  const resolved = components[nameOf(found.$ref)]
  if (resolved === undefined) throw new Error(`the document has no ${found.$ref}`)
  return resolved
}

export const makeReferences = ({ parameters, pathItems, responses, schemas }: Components): References => ({
  schema: resolver(schemas),
  response: resolver(responses),
  parameter: resolver(parameters),
  pathItem: resolver(pathItems)
})

/** A line of CommonMark, as far as descriptions use it: `code` and **strong**. */
export const markdownLine = (text: string): Content =>
  text.split(/(`[^`]+`|\*\*[^*]+\*\*)/u).map((part) => {
    if (part.startsWith("`")) return markup`<code>${part.slice(1, -1)}</code>`
    return part.startsWith("**") ? markup`<strong>${part.slice(2, -2)}</strong>` : part
  })

/** Paragraphs of such lines. */
export const markdown = (text: string): Content =>
  text.split("\n\n").map((paragraph) => markup`<p>${markdownLine(paragraph)}</p>`)

const range = (min: number | undefined, max: number | undefined, unit = ""): string => {
  if (min === undefined && max === undefined) return ""
  if (max === undefined) return `at least ${min}${unit}`
  return min === undefined ? `at most ${max}${unit}` : `${min} to ${max}${unit}`
}

/** The limits of a value's length, count or amount. */
const bounds = (schema: SchemaObject): string => {
  const { exclusiveMinimum, maxItems, maxLength, maximum, minItems, minLength, minimum } = schema
  return [
    range(minLength, maxLength, " characters"),
    range(minItems, maxItems, " entries"),
    exclusiveMinimum === undefined ? range(minimum, maximum) : `above ${exclusiveMinimum}`
  ].filter((text) => text !== "").join(", ")
}

/** The type of a value in a few words. */
export const typeOf = (schema: SchemaObject, references: References): string => {
  const { $ref, anyOf, const: constant, enum: values, format, items, type } = references.schema(schema)
  if (anyOf !== undefined) return [...new Set(anyOf.map((variant) => typeOf(variant, references)))].join(" or ")
  if (items !== undefined) return `list of ${typeOf(items, references)}`
  const types = typeof type === "string" ? [type] : type ?? []
  const named = types.map((name) => name === "string" ? format ?? name : name)
  if (named.length > 0) return named.join(" or ")
  return values === undefined && constant === undefined ? $ref ?? "any value" : "constant"
}

/** The possible values of an enumeration or a constant. */
const valuesOf = (schema: SchemaObject, references: References): ReadonlyArray<unknown> => {
  const { anyOf = [], const: constant, enum: values } = references.schema(schema)
  return [
    ...(constant === undefined ? [] : [constant]),
    ...(values ?? []),
    ...anyOf.flatMap((variant) => valuesOf(variant, references))
  ]
}

/** The objects inside a schema: its own, those of list entries and those of variants. */
const objectsOf = (schema: SchemaObject, references: References): ReadonlyArray<SchemaObject> => {
  const { anyOf = [], items, properties } = references.schema(schema)
  if (properties !== undefined) return [schema]
  const inner = items === undefined ? anyOf : [items, ...anyOf]
  return inner.flatMap((schema) => objectsOf(schema, references))
}

/** In a request, required fields are marked; in an answer, optional ones. */
interface View {
  readonly references: References
  readonly side: "request" | "answer"
}

const mark = ({ side }: View, isRequired: boolean): Content => {
  if (side === "request") return isRequired ? markup` <span class="required">required</span>` : undefined
  return isRequired ? undefined : markup` <span class="type">optional</span>`
}

const rule = (label: string, values: ReadonlyArray<unknown>): Content =>
  markup`<p class="rule">${label} ${values.map((value) => markup`<code>${JSON.stringify(value)}</code> `)}</p>`

const field = (name: string, schema: SchemaObject, isRequired: boolean, view: View): Content => {
  const { references } = view
  const resolved = references.schema(schema)
  const { default: initial, description } = resolved
  const values = valuesOf(schema, references)
  return markup`<dt><code>${name}</code> <span class="type">${typeOf(schema, references)}</span>${
    mark(view, isRequired)
  }</dt><dd>${description === undefined ? undefined : markup`<p>${markdownLine(description)}</p>`}${
    bounds(resolved) === "" ? undefined : markup`<p class="rule">${bounds(resolved)}</p>`
  }${values.length === 0 ? undefined : rule(values.length === 1 ? "always" : "one of", values)}${
    initial === undefined ? undefined : rule("default", [initial])
  }${objectsOf(schema, references).map((inner) => nested(inner, view))}</dd>`
}

const nested = (schema: SchemaObject, view: View): Content =>
  markup`<details><summary>${schema.$ref === undefined ? "Fields" : nameOf(schema.$ref)}</summary>${
    fields(schema, view)
  }</details>`

/** The fields of an object. */
const fields = (schema: SchemaObject, view: View): Content => {
  const { properties = {}, required = [] } = view.references.schema(schema)
  return markup`<dl class="fields">${
    Object.entries(properties).map(([name, property]) => field(name, property, required.includes(name), view))
  }</dl>`
}

/** A schema with its fields. Nested objects and variants are collapsed. */
export const schemaView = (schema: SchemaObject, view: View): Content => {
  const { anyOf, description } = view.references.schema(schema)
  const lead = description === undefined ? undefined : markup`<p>${markdownLine(description)}</p>`
  if (anyOf !== undefined) return [lead, anyOf.map((variant) => nested(variant, view))]
  const objects = objectsOf(schema, view.references)
  if (objects.length === 0) return markup`<p class="type">${typeOf(schema, view.references)}</p>`
  return [lead, objects.map((object) => fields(object, view))]
}
