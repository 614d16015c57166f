import type { SchemaObject } from "../api/openapi/document-types.ts"
import { type Content, markup } from "../html.ts"
import { markdownLine } from "./markdown.ts"
import { nameOf, type References } from "./references.ts"

const range = (least: number | undefined, most: number | undefined, unit = ""): string => {
  if (least === undefined && most === undefined) return ""
  if (most === undefined) return `at least ${least}${unit}`
  return least === undefined ? `at most ${most}${unit}` : `${least} to ${most}${unit}`
}

/** How long, how many, how much it may be. */
const bounds = (schema: SchemaObject): string => {
  const { exclusiveMinimum, maxItems, maxLength, maximum, minItems, minLength, minimum } = schema
  return [
    range(minLength, maxLength, " characters"),
    range(minItems, maxItems, " entries"),
    exclusiveMinimum === undefined ? range(minimum, maximum) : `above ${exclusiveMinimum}`
  ].filter((text) => text !== "").join(", ")
}

/** What a value is, in a few words. */
export const typeOf = (schema: SchemaObject, references: References): string => {
  const { $ref, anyOf, const: constant, enum: values, format, items, type } = references.schema(schema)
  if (anyOf !== undefined) return [...new Set(anyOf.map((one) => typeOf(one, references)))].join(" or ")
  if (items !== undefined) return `list of ${typeOf(items, references)}`
  const types = typeof type === "string" ? [type] : type ?? []
  const named = types.map((one) => one === "string" ? format ?? one : one)
  if (named.length > 0) return named.join(" or ")
  return values === undefined && constant === undefined ? $ref ?? "any value" : "constant"
}

/** The values that it can have, where they are known. */
const valuesOf = (schema: SchemaObject, references: References): ReadonlyArray<unknown> => {
  const { anyOf = [], const: constant, enum: values } = references.schema(schema)
  return [
    ...(constant === undefined ? [] : [constant]),
    ...(values ?? []),
    ...anyOf.flatMap((one) => valuesOf(one, references))
  ]
}

/** The objects inside: its own, those of its entries, those of its variants. */
const objectsOf = (schema: SchemaObject, references: References): ReadonlyArray<SchemaObject> => {
  const { anyOf = [], items, properties } = references.schema(schema)
  if (properties !== undefined) return [schema]
  const inner = items === undefined ? anyOf : [items, ...anyOf]
  return inner.flatMap((one) => objectsOf(one, references))
}

/** How a schema is shown: of a request the fields that it needs are marked, of an answer those that it may lack. */
export interface View {
  readonly references: References
  readonly side: "request" | "answer"
}

const mark = ({ side }: View, isRequired: boolean): Content => {
  if (side === "request") return isRequired ? markup` <span class="required">required</span>` : undefined
  return isRequired ? undefined : markup` <span class="type">optional</span>`
}

const rule = (words: string, values: ReadonlyArray<unknown>): Content =>
  markup`<p class="rule">${words} ${values.map((value) => markup`<code>${JSON.stringify(value)}</code> `)}</p>`

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

/** All that a schema says, to be opened where it is nested; each variant of a choice by itself. */
export const schemaView = (schema: SchemaObject, view: View): Content => {
  const { anyOf, description } = view.references.schema(schema)
  const words = description === undefined ? undefined : markup`<p>${markdownLine(description)}</p>`
  if (anyOf !== undefined) return [words, anyOf.map((one) => nested(one, view))]
  const objects = objectsOf(schema, view.references)
  if (objects.length === 0) return markup`<p class="type">${typeOf(schema, view.references)}</p>`
  return [words, objects.map((one) => fields(one, view))]
}
