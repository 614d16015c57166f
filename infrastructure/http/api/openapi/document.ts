import { Schema, SchemaAST } from "effect"
import { callbackPathItems, callbackReference, webhooks } from "./callback.ts"
import type {
  Document,
  Method,
  OperationObject,
  ParameterObject,
  PathItem,
  RequestBody,
  Server
} from "./document-types.ts"
import { headerParameters, headers, parameterReference, responses, sharedResponses } from "./responses.ts"
import { makeSchemas, type Schemas } from "./schemas.ts"
import { adminDescription, adminTags, description, tags } from "./texts.ts"
import type { Body, Operation, Wire } from "../operation.ts"
import { adminOperations } from "../operations/admin.ts"
import { v1Operations, v2Operations } from "../operations/all.ts"
import { adminVersion, v1Version, v2Version, type Version } from "../version.ts"

const here: Server = { url: "/", description: "This service" }
const alias: Server = { url: "/api", description: "The same under /api, an alias of v1" }

/** `/jobs/:jobId` as the document writes it. */
const template = (path: string): string => path.replaceAll(/:(\w+)/gu, "{$1}")

const license = { name: "Apache-2.0", identifier: "Apache-2.0" }

const methods = { GET: "get", POST: "post", PUT: "put", PATCH: "patch", DELETE: "delete" } as const

const pathItems = <Code extends string>(
  operations: Readonly<Record<string, Operation<Code>>>,
  version: Version<Code>,
  schemas: Schemas,
  nameOf: (name: string) => string
): Readonly<Record<string, PathItem>> => {
  const items: Record<string, PathItem> = {}
  for (const [name, operation] of Object.entries(operations)) {
    const path = template(operation.path)
    const method: Method = methods[operation.method]
    items[path] = { ...items[path], [method]: operationObject(nameOf(name), operation, version, schemas) }
  }
  return items
}

const v1Name = (name: string): string => `v1${name.charAt(0).toUpperCase()}${name.slice(1)}`

/** The API as an OpenAPI 3.1 document, made from the declaration; `version` is that of the program. */
export const makeDocument = (version: string): Document => {
  const schemas = makeSchemas()
  const v2 = pathItems(v2Operations, v2Version, schemas, (name) => name)
  const v1 = pathItems(v1Operations, v1Version, schemas, v1Name)
  const callbacks = callbackPathItems(schemas)
  const shared = { ...sharedResponses(v2Version, schemas), ...sharedResponses(v1Version, schemas) }
  return {
    openapi: "3.1.1",
    info: {
      title: "SlipTrail",
      version,
      summary: "Verifies Thai bank-transfer slips.",
      description,
      license
    },
    servers: [here],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ apiKey: [] }],
    paths: {
      ...v2,
      ...Object.fromEntries(Object.entries(v1).map(([path, item]) => [path, { servers: [here, alias], ...item }]))
    },
    webhooks,
    components: {
      schemas: schemas.named(),
      responses: shared,
      headers,
      parameters: headerParameters,
      pathItems: callbacks,
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "UUID",
          description: "The API key of a branch, `Authorization: Bearer <key>`. Use it from servers only."
        }
      }
    }
  }
}

const { "Retry-After": retryAfter, "X-Request-Id": requestId } = headers

/** The admin API as an OpenAPI 3.1 document of its own. */
export const makeAdminDocument = (version: string): Document => {
  const schemas = makeSchemas()
  const paths = pathItems(adminOperations, adminVersion, schemas, (name) => name)
  const responses = sharedResponses(adminVersion, schemas)
  return {
    openapi: "3.1.1",
    info: {
      title: "SlipTrail admin API",
      version,
      summary: "Manages accounts, services and branches, and shows the trail.",
      description: adminDescription,
      license
    },
    servers: [here],
    tags: Object.entries(adminTags).map(([name, description]) => ({ name, description })),
    security: [{ adminToken: [] }],
    paths,
    webhooks: {},
    components: {
      schemas: schemas.named(),
      responses,
      headers: { "X-Request-Id": requestId, "Retry-After": retryAfter },
      parameters: { RequestId: headerParameters.RequestId },
      pathItems: {},
      securitySchemes: {
        adminToken: {
          type: "http",
          scheme: "bearer",
          description: "The setting `ADMIN_TOKEN`, `Authorization: Bearer <token>`."
        }
      }
    }
  }
}

const queryParameter = (name: string, field: Wire, schemas: Schemas): ParameterObject => {
  const { description = "", examples: [example] = [] } = Schema.resolveAnnotationsKey(field) ?? {}
  return {
    name,
    in: "query",
    required: !SchemaAST.isOptional(field.ast),
    description,
    schema: schemas.of(field),
    ...(typeof example === "string" ? { example } : {})
  }
}

const pageParameters = (schemas: Schemas): ReadonlyArray<ParameterObject> => [
  {
    name: "cursor",
    in: "query",
    required: false,
    description: "`nextCursor` of the page before; without it the list begins.",
    schema: schemas.of(Schema.String)
  },
  {
    name: "limit",
    in: "query",
    required: false,
    description: "Most entries of the page.",
    schema: schemas.of(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 500 })).annotate({ default: 50 }))
  }
]

const parametersOf = ({ isPaged, params = {}, query }: Operation, schemas: Schemas): ReadonlyArray<ParameterObject> => [
  ...Object.entries(params).map(([name, { description, example }]): ParameterObject => ({
    name,
    in: "path",
    required: true,
    description,
    schema: schemas.of(Schema.String),
    ...(example === undefined ? {} : { example })
  })),
  ...Object.entries(query?.fields ?? {}).map(([name, field]) => queryParameter(name, field, schemas)),
  ...(isPaged === true ? pageParameters(schemas) : [])
]

const requestBody = (
  { examples, form, isOptional = false, json, urlencoded }: Body,
  schemas: Schemas
): RequestBody => ({
  required: !isOptional,
  content: {
    "application/json": { schema: schemas.of(json), examples },
    ...(form === undefined ? {} : { "multipart/form-data": { schema: schemas.of(form) } }),
    ...(urlencoded === undefined ? {} : { "application/x-www-form-urlencoded": { schema: schemas.of(urlencoded) } })
  }
})

/** An operation as the document has it. */
export const operationObject = <Code extends string>(
  operationId: string,
  operation: Operation<Code>,
  version: Version<Code>,
  schemas: Schemas
): OperationObject => {
  const { body, callsBack, description, isKeyed, isOpen, summary, tag } = operation
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(isOpen === true ? { security: [] } : {}),
    parameters: [
      ...parametersOf(operation, schemas),
      ...(isKeyed === true ? [parameterReference("IdempotencyKey")] : []),
      parameterReference("RequestId")
    ],
    ...(body === undefined ? {} : { requestBody: requestBody(body, schemas) }),
    responses: responses(operation, version, schemas),
    ...(callsBack === true ? { callbacks: callbackReference } : {})
  }
}
