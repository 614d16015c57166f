import type {
  OperationObject,
  ParameterObject,
  SchemaObject
} from "../../../infrastructure/web/api/openapi/document-types.ts"
import type { PlacedOperation } from "../placed-operations.ts"
import type { References } from "../schema-view.ts"

/** A value of JSON. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [name: string]: Json }

/** The body of a sample. A multipart body is one file; its content is read from `FILE_NAME`. */
export type SampleBody =
  | { readonly type: "json"; readonly value: Json }
  | { readonly type: "multipart"; readonly field: string }
  | { readonly type: "urlencoded"; readonly fields: ReadonlyArray<readonly [name: string, value: string]> }

/** A request of an operation, from which the samples of all languages are written. */
export interface SampleRequest {
  readonly operationId: string
  /** What distinguishes it from other requests of the operation. */
  readonly title: string
  /** In capitals. */
  readonly method: string
  /** With the examples of its parameters and of the required query parameters. */
  readonly path: string
  /** The examples of the path's parameters, in order. */
  readonly params: ReadonlyArray<string>
  /** The examples of the required query parameters. */
  readonly query: Readonly<Record<string, string>>
  readonly isOpen: boolean
  /** The environment variable of the key or token. */
  readonly keyVariable: "API_KEY" | "OPERATOR_TOKEN"
  readonly idempotencyKey?: string
  readonly body?: SampleBody
  /** The envelope of the answer; undefined for a file without an envelope. */
  readonly envelope: "v1" | "v2" | undefined
}

/** The picture that samples send. */
export const FILE_NAME = "slip.png"

const isFile = (schema: SchemaObject, references: References): boolean => {
  const { anyOf = [], format } = references.schema(schema)
  return format === "binary" || anyOf.some((variant) => isFile(variant, references))
}

/** The field of a form that takes a picture as a file. */
const fileField = ({ requestBody }: OperationObject, references: References): string | undefined => {
  const schema = requestBody?.content["multipart/form-data"]?.schema
  if (schema === undefined) return undefined
  const { properties = {} } = references.schema(schema)
  return Object.entries(properties).find(([, property]) => isFile(property, references))?.[0]
}

const isObject = (value: unknown): value is { readonly [name: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The fields of a form: text for each value; undefined when a value is null, a list or an object. */
const textFields = (value: unknown): ReadonlyArray<readonly [name: string, value: string]> | undefined => {
  if (!isObject(value)) return undefined
  const fields = Object.entries(value).flatMap(([name, field]) =>
    typeof field === "string" || typeof field === "number" || typeof field === "boolean"
      ? [[name, String(field)] as const]
      : []
  )
  return fields.length === Object.keys(value).length ? fields : undefined
}

/** The first example that a form can hold. */
const formBody = (examples: ReadonlyArray<unknown>): SampleBody | undefined => {
  const fields = examples.map(textFields).find((found) => found !== undefined)
  return fields === undefined ? undefined : { type: "urlencoded", fields }
}

interface TitledBody {
  readonly title: string
  readonly body?: SampleBody
}

const isJson = (value: unknown): value is Json => value !== undefined

/** A body for each way in which the operation can be called. */
const bodiesOf = (operation: OperationObject, references: References): ReadonlyArray<TitledBody> => {
  const content = operation.requestBody?.content
  if (content === undefined) return [{ title: "Request" }]
  const values = Object.values(content["application/json"]?.examples ?? {}).map(({ value }) => value)
  const [value] = values
  const field = fileField(operation, references)
  const form = content["application/x-www-form-urlencoded"] === undefined ? undefined : formBody(values)
  return [
    isJson(value) ? { title: "With JSON", body: { type: "json", value } } : { title: "Request" },
    ...(field === undefined ? [] : [{ title: "With a picture", body: { type: "multipart" as const, field } }]),
    ...(form === undefined ? [] : [{ title: "As a form", body: form }])
  ]
}

const examplesOf = (parameters: ReadonlyArray<ParameterObject>): Readonly<Record<string, string>> =>
  Object.fromEntries(parameters.map(({ example = "", name }) => [name, example]))

const envelopeOf = (path: string, operation: OperationObject, references: References): SampleRequest["envelope"] => {
  const [found] = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"))
  const isInJson = found !== undefined && "application/json" in (references.response(found[1]).content ?? {})
  if (!isInJson) return undefined
  return path.startsWith("/v1/") ? "v1" : "v2"
}

/** The requests that the reference shows for an operation, the simplest first. */
export const sampleRequests = (
  { method, operation, path }: PlacedOperation,
  references: References
): ReadonlyArray<SampleRequest> => {
  const parameters = (operation.parameters ?? []).map((parameter) => references.parameter(parameter))
  const inPath = examplesOf(parameters.filter((parameter) => parameter.in === "path"))
  const query = examplesOf(parameters.filter((parameter) => parameter.in === "query" && parameter.required))
  const idempotencyKey = parameters.find(({ name }) => name === "Idempotency-Key")?.example
  const search = Object.keys(query).length === 0 ? "" : `?${new URLSearchParams(query).toString()}`
  return bodiesOf(operation, references).map(({ body, title }) => ({
    operationId: operation.operationId,
    title,
    method: method.toUpperCase(),
    path: path.replaceAll(/\{(\w+)\}/gu, (whole, name: string) => encodeURIComponent(inPath[name] ?? whole)) + search,
    params: Object.values(inPath),
    query,
    isOpen: operation.security?.length === 0,
    keyVariable: path.startsWith("/admin/") ? "OPERATOR_TOKEN" : "API_KEY",
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(body === undefined ? {} : { body }),
    envelope: envelopeOf(path, operation, references)
  }))
}
