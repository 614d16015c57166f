import { adminOperations } from "../operations/admin.ts"
import { v1Operations, v2Operations } from "../operations/all.ts"
import type { Operation } from "../operation.ts"
import { adminVersion, v1Version, v2Version, type Version } from "../version.ts"
import { callbackPathItems, webhooks } from "./callback.ts"
import type { Document, Method, PathItem, Server } from "./document-types.ts"
import { headerParameters, headers } from "./headers.ts"
import { operationObject } from "./operation-object.ts"
import { sharedResponses } from "./responses.ts"
import { makeSchemas, type Schemas } from "./schemas.ts"
import { adminDescription, adminTags, description, tags } from "./texts.ts"

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
