/** The parts of OpenAPI 3.1 that the documents use. */
export interface Document {
  readonly openapi: "3.1.1"
  readonly info: Info
  readonly servers: ReadonlyArray<Server>
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly security: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>
  readonly paths: Readonly<Record<string, PathItem>>
  readonly webhooks: Readonly<Record<string, Reference>>
  readonly components: Components
}

export interface Info {
  readonly title: string
  readonly version: string
  readonly summary: string
  readonly description: string
  readonly license: { readonly name: string; readonly identifier: string }
}

export interface Server {
  readonly url: string
  readonly description: string
}

export type Method = "get" | "post" | "put" | "patch" | "delete"

/** `servers` is present when a path has an alias. */
export type PathItem = { readonly [method in Method]?: OperationObject } & { readonly servers?: ReadonlyArray<Server> }

export interface OperationObject {
  readonly operationId: string
  readonly tags?: ReadonlyArray<string>
  readonly summary: string
  readonly description: string
  readonly security?: Document["security"]
  readonly parameters?: ReadonlyArray<ParameterObject | Reference>
  readonly requestBody?: RequestBody
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>
  readonly callbacks?: Readonly<Record<string, Readonly<Record<string, Reference>>>>
}

export interface Reference {
  readonly $ref: string
}

export interface ParameterObject {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required: boolean
  readonly description: string
  readonly schema: SchemaObject
  readonly example?: string
}

export interface RequestBody {
  readonly required: boolean
  readonly content: Readonly<Record<string, MediaType>>
}

export interface MediaType {
  readonly schema: SchemaObject
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>
}

export interface ResponseObject {
  readonly description: string
  readonly headers?: Readonly<Record<string, HeaderObject | Reference>>
  readonly content?: Readonly<Record<string, MediaType>>
}

export interface HeaderObject {
  readonly description: string
  readonly schema: SchemaObject
}

/** A JSON Schema of draft 2020-12. */
export interface SchemaObject {
  readonly [keyword: string]: unknown
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly description?: string
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly enum?: ReadonlyArray<unknown>
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, SchemaObject>>
  readonly required?: ReadonlyArray<string>
  readonly items?: SchemaObject
  readonly anyOf?: ReadonlyArray<SchemaObject>
  readonly oneOf?: ReadonlyArray<SchemaObject>
  readonly allOf?: ReadonlyArray<SchemaObject>
}

export interface Components {
  readonly schemas: Readonly<Record<string, SchemaObject>>
  readonly responses: Readonly<Record<string, ResponseObject>>
  readonly headers: Readonly<Record<string, HeaderObject>>
  readonly parameters: Readonly<Record<string, ParameterObject>>
  readonly pathItems: Readonly<Record<string, PathItem>>
  readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>
}
