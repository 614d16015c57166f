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
import type { Body, Operation, Query, RequiredScopes, Wire } from "../operation.ts"
import { field } from "../values.ts"
import { adminOperations } from "../operations/admin.ts"
import { v1Operations, v2Operations } from "../operations/all.ts"
import { adminVersion, v1Version, v2Version, type Version } from "../version.ts"

const here: Server = { url: "/", description: "This service" }
const alias: Server = { url: "/api", description: "The same under /api, an alias of v1" }

/** `/jobs/:jobId` → `/jobs/{jobId}` */
const template = (path: string): string => path.replaceAll(/:(\w+)/gu, "{$1}")

/** The names of the parameters in a path. */
const namesIn = (path: string): ReadonlyArray<string> => path.match(/(?<=:)\w+/gu) ?? []

const license = { name: "Apache-2.0", identifier: "Apache-2.0" }

const methods = { GET: "get", POST: "post", PUT: "put", PATCH: "patch", DELETE: "delete" } as const

/** An operation of any version. Operators' ones have no scopes. */
type DocumentedOperation<Code extends string> = Operation<Code> & { readonly scopes?: RequiredScopes }

const pathItems = <Code extends string>(
  operations: Readonly<Record<string, DocumentedOperation<Code>>>,
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

/** The API as an OpenAPI 3.1 document, made from the operations; `version` is that of the program. */
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
          description:
            "An API key of a branch, `Authorization: Bearer <key>`. The user of a page or an app can read a key "
            + "in it. An operation names the scopes of which the key needs one. The default key of a branch has all scopes."
        }
      }
    }
  }
}

const { "Retry-After": retryAfter, "X-Client-Request-Id": clientRequestId, "X-Request-Id": requestId } = headers

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
      headers: { "X-Request-Id": requestId, "X-Client-Request-Id": clientRequestId, "Retry-After": retryAfter },
      parameters: { RequestId: headerParameters.RequestId },
      pathItems: {},
      securitySchemes: {
        adminToken: {
          type: "http",
          scheme: "bearer",
          description: "The token of an operator, or the setting `ADMIN_TOKEN`: `Authorization: Bearer <token>`."
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

const pageFields = (pageLimit = 50): Query["fields"] => ({
  cursor: field(Schema.String, "`nextCursor` of the page before; without it the list begins."),
  limit: field(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 500 })).annotate({ default: pageLimit }),
    "Most entries of the page."
  )
})

const parametersOf = (
  { isPaged, pageLimit, params = {}, path, query }: Operation,
  schemas: Schemas
): ReadonlyArray<ParameterObject> => [
  ...namesIn(path).map((name): ParameterObject => ({
    name,
    in: "path",
    required: true,
    description: "The id. Case does not matter.",
    schema: schemas.of(Schema.String),
    ...params[name]
  })),
  ...Object.entries({ ...query?.fields, ...(isPaged === true ? pageFields(pageLimit) : {}) }).map(([name, field]) =>
    queryParameter(name, field, schemas)
  )
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

/** An operation in the form of the document. */
export const operationObject = <Code extends string>(
  operationId: string,
  operation: DocumentedOperation<Code>,
  version: Version<Code>,
  schemas: Schemas
): OperationObject => {
  const { body, callsBack, description, isKeyed, isOpen, scopes, summary, tag } = operation
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(isOpen === true ? { security: [] } : {}),
    ...(Array.isArray(scopes) ? { security: scopes.map((scope) => ({ apiKey: [scope] })) } : {}),
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

/** The text about all operations, in CommonMark. */
export const description = `Verifies slips of Thai bank transfers, and keeps the trail of every verification.

**Requests.** JSON, \`application/x-www-form-urlencoded\`, or \`multipart/form-data\` where a picture can be a file; a
batch is JSON. UTF-8. In a form, numbers and booleans are text, objects and lists are JSON text. An empty field of a form
counts as absent, and so does \`""\` in the JSON of a POST; in a PATCH \`""\` is an error, and \`null\` clears. Unknown fields
are ignored; unknown parameters of a query are an error. Where a slip is described in JSON a field that is \`null\` counts as
absent. Booleans may be written \`true\`, \`"true"\`, \`"True"\`, \`"TRUE"\`, \`1\` or \`"1"\`, and so may their opposites;
\`checkDuplicate\` of v1 takes no number in JSON. Amounts are baht with at most two decimals, as numbers or their text. Ids are UUIDs, in any case. A body for one slip is at most 6 MiB.

**Answers.** JSON, always with \`X-Request-Id\`. v2: \`{"success":true,"data":…,"message":"…"}\`, or
\`{"success":false,"error":{"code":"…","message":"…"}}\`, for VALIDATION_ERROR and INVALID_IMAGE_FORMAT with \`issues\`, and
with \`detail\` where there is more to say. v1:
\`{"status":200,"data":…}\`, or \`{"status":…,"message":"<code>"}\`. Go by the code, never by the message. Later versions
may add fields: ignore what you don't know. Times are ISO 8601; those of slips have the offset \`+07:00\`, all others
are UTC.

**Order of checks.** Route, API key, service and account, branch, address, rate limit, scope of the key, request, quota:
the first that is not met is told. What fails costs no quota.

**Whatever the path**: \`404 NOT_FOUND\` (v1: \`not_found\`) for what is no endpoint, \`400 VALIDATION_ERROR\` for what is
not HTTP or has too long headers.

**Try again** after \`Retry-After\` seconds where it is there: RATE_LIMIT_EXCEEDED, API_SERVER_ERROR, SLIP_PENDING. With
an \`Idempotency-Key\` that is safe also when an answer got lost.`

export const tags: Readonly<Record<string, string>> = {
  Verification: "Is this slip genuine, is it new, is it over the right amount, did it go to me?",
  TrueMoney: "Slips of the TrueMoney wallet, verified from their pictures.",
  Later: "Slips that are handed over and verified later. Each becomes a job, and each job ends in one callback.",
  Reading: "What was verified, as it was answered, and how much each day.",
  "Bank accounts":
    "The accounts that a branch receives money on. `matchAccount` compares the receiver of a slip with them.",
  "API keys": "The keys of the branch: what each one may do, until when, and from where.",
  Callbacks: "Where results are sent, under which secret, and what was delivered.",
  Information: "Who calls, and what there is.",
  v1: "The first version, for callers that have it. It shares keys, quota, duplicates and charging with v2."
}

export const adminDescription =
  `For operators. Each has a personal token and a role, and the trail names the operator of every change, of every look at
personal data, and of every refused attempt. \`ADMIN_TOKEN\`, if it is set, has the role admin.

**Roles.** \`admin\` may do everything. \`support\` may read without \`reveal\`, and send callbacks again. \`auditor\` may
read everything, also with \`reveal\`. Other requests are answered with \`403 ROLE_MISSING\`, which names the roles.

**Requests** and **answers** are those of v2: JSON, in the same envelope, always with \`X-Request-Id\`. Every change is an
event in the trail, with the id of its request. No quota applies, and no rate limit
except for wrong tokens: after five within a minute an address waits for a minute.`

export const adminTags: Readonly<Record<string, string>> = {
  Accounts: "The owners of services.",
  Services: "The applications that verify slips, each with a plan and branches.",
  Branches: "API keys with a quota, an IP whitelist and a webhook of their own.",
  "API keys": "The keys of a branch: what each one may do, until when, and from where.",
  "Bank accounts": "Which branches share an account of their service.",
  "Jobs and callbacks": "Jobs and callbacks of all branches.",
  Trail:
    "What happened to a slip, job, verification or branch, the erasure of personal data, and exports with what proves them.",
  Audit: "What operators did, and over which interface.",
  Operators: "The people and programs that use the admin API and the console, and their sessions.",
  "Read models": "How far the read models are; rebuild and compare them."
}
