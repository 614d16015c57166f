import { registerSchema, validate } from "@hyperjump/json-schema/openapi-3-1"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { createHash } from "node:crypto"
import { adminOperations } from "../../../../infrastructure/web/api/operations/admin.ts"
import { v1Operations, v2Operations } from "../../../../infrastructure/web/api/operations/all.ts"
import { makeAdminDocument, makeDocument } from "../../../../infrastructure/web/api/openapi/document.ts"
import type { OperationObject } from "../../../../infrastructure/web/api/openapi/document-types.ts"

const document = makeDocument("1.2.3")

/** The document after a JSON round trip, as a client receives it. */
const sent = JSON.parse(JSON.stringify(document))

const URI = "https://sliptrail.test/openapi.json"
/** The meta-schema of OpenAPI documents, including the JSON Schema of their schemas. */
const OPENAPI = "https://spec.openapis.org/oas/3.1/schema-base"
registerSchema(sent, URI, OPENAPI)

const pointer = (...steps: ReadonlyArray<string>): string =>
  `${URI}#${encodeURI(steps.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""))}`

interface DocumentNode {
  readonly steps: ReadonlyArray<string>
  readonly node: Readonly<Record<string, unknown>>
}

/** Every object of the document with its path. */
const nodesIn = (node: unknown, steps: ReadonlyArray<string> = []): ReadonlyArray<DocumentNode> => {
  if (typeof node !== "object" || node === null) return []
  const inner = Object.entries(node).flatMap(([name, value]) => nodesIn(value, [...steps, name]))
  return Array.isArray(node) ? inner : [{ steps, node: { ...node } }, ...inner]
}

const all = nodesIn(sent)
const operations = Object.values(document.paths).flatMap((item) =>
  Object.values(item).filter((item): item is OperationObject => "operationId" in item)
)

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1, including its schemas", async () => {
    assert.match(document.openapi, /^3\.1\.\d$/u)
    assert.strictEqual(document.info.version, "1.2.3")
    assert.deepStrictEqual(
      await validate(OPENAPI, sent, "BASIC"),
      { valid: true }
    )
  })

  // After an intended change of the interface, write the new digest here and the change into the changelog.
  it("has the published bytes", () => {
    const digest = createHash("sha256").update(JSON.stringify(makeDocument("0.0.0"))).digest("hex")
    assert.strictEqual(digest, "d841aa42f932c4ba6a5d371ab767171bd56911e1962b769f0e9b55c89ef99517")
  })

  it("is validated by a schema that finds errors in responses and schemas", async () => {
    for (const [path, mistake] of [["paths", "responses"], ["components", "schemas"]] as const) {
      const { [path]: part } = sent
      const broken = path === "paths"
        ? { ...part, "/v2/broken": { get: { [mistake]: { 200: {} } } } }
        : { ...part, [mistake]: { ...part[mistake], Broken: { type: "integr" } } }
      const output = await validate(OPENAPI, { ...sent, [path]: broken }, "BASIC")
      assert.isFalse(output.valid)
    }
  })

  it("has only references that resolve, and no unused component", () => {
    const references = all.flatMap(({ node: { $ref } }) => typeof $ref === "string" ? [$ref] : [])
    const components = Object.entries(document.components).flatMap(([kind, named]) =>
      kind === "securitySchemes" ? [] : Object.keys(named).map((name) => `#/components/${kind}/${name}`)
    )
    assert.sameMembers([...new Set(references)], components)
  })

  it("has valid examples of every body and every answer", async () => {
    const bodies = all.filter(({ node, steps }) => steps.at(-1) === "application/json" && "schema" in node)
    assert.isAtLeast(bodies.length, 70)
    for (const { node: { examples }, steps } of bodies) {
      assert.isTrue(typeof examples === "object" && examples !== null, steps.join(" "))
      const values = Object.values(examples ?? {})
      assert.isNotEmpty(values, steps.join(" "))
      for (const { value } of values) {
        const output = await validate(pointer(...steps, "schema"), value, "BASIC")
        assert.deepStrictEqual(output, { valid: true }, `${steps.join(" ")} ${JSON.stringify(value)}`)
      }
    }
  })

  it("has examples without unknown fields", () => {
    for (const { success: { data, examples } } of [...Object.values(v2Operations), ...Object.values(v1Operations)]) {
      const strictly = Schema.decodeUnknownSync(data, { onExcessProperty: "error" })
      for (const { value } of Object.values(examples)) assert.deepStrictEqual(strictly(value), value)
    }
  })

  it("describes every operation, every parameter and every field of a request", () => {
    for (const { description, operationId, parameters, summary, tags } of operations) {
      assert.isNotEmpty(summary, operationId)
      assert.isNotEmpty(description, operationId)
      assert.includeMembers(document.tags.map(({ name }) => name), [...tags ?? []])
      for (const parameter of parameters ?? []) {
        if (!("$ref" in parameter)) assert.isNotEmpty(parameter.description, `${operationId} ${parameter.name}`)
      }
    }
    const requests = Object.entries(document.components.schemas).filter(([name]) => /(Request|Form)$/u.test(name))
    assert.isAtLeast(requests.length, 10)
    for (const [name, { properties = {} }] of requests) {
      for (const [field, schema] of Object.entries(properties)) {
        assert.isNotEmpty(schema.description ?? "", `${name} ${field}`)
      }
    }
  })

  it("describes the callback, its signatures, and the operations that lead to it", () => {
    const { $ref } = document.webhooks["verificationResult"] ?? { $ref: "" }
    const post = document.components.pathItems[$ref.split("/").at(-1) ?? ""]?.post
    const headers = (post?.parameters ?? []).map((parameter) => "name" in parameter ? parameter.name : "")
    const signatures = ["X-Service-Signature", "webhook-id", "webhook-timestamp", "webhook-signature"]
    assert.includeMembers(headers, signatures)
    const calling = operations.filter(({ callbacks }) => callbacks !== undefined).map(({ operationId }) => operationId)
    assert.sameMembers(calling, ["verifyBankAsync", "verifyBankBatch", "verifyWalletAsync", "verifyWalletBatch"])
  })

  it("has /api as a second server for v1", () => {
    for (const [path, { servers }] of Object.entries(document.paths)) {
      assert.deepStrictEqual(servers?.map(({ url }) => url), path.startsWith("/v1/") ? ["/", "/api"] : undefined)
    }
  })
})

describe("the OpenAPI document of the admin API", () => {
  const admin = JSON.parse(JSON.stringify(makeAdminDocument("1.2.3")))
  const ADMIN_URI = "https://sliptrail.test/admin.json"
  registerSchema(admin, ADMIN_URI, OPENAPI)

  it("is valid OpenAPI 3.1", async () => {
    assert.deepStrictEqual(await validate(OPENAPI, admin, "BASIC"), { valid: true })
  })

  it("has only references that resolve, and no unused component", () => {
    const references = nodesIn(admin).flatMap(({ node: { $ref } }) => typeof $ref === "string" ? [$ref] : [])
    const components = Object.entries<object>(admin.components).flatMap(([kind, named]) =>
      kind === "securitySchemes" ? [] : Object.keys(named).map((name) => `#/components/${kind}/${name}`)
    )
    assert.sameMembers([...new Set(references)], components)
  })

  it("has valid examples of every body and every answer", async () => {
    const bodies = nodesIn(admin).filter(({ node, steps }) => steps.at(-1) === "application/json" && "schema" in node)
    assert.isAtLeast(bodies.length, 60)
    for (const { node: { examples }, steps } of bodies) {
      const path = steps.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")
      assert.isTrue(typeof examples === "object" && examples !== null, path)
      for (const { value } of Object.values(examples ?? {})) {
        const output = await validate(`${ADMIN_URI}#${encodeURI(path)}/schema`, value, "BASIC")
        assert.deepStrictEqual(output, { valid: true }, `${path} ${JSON.stringify(value)}`)
      }
    }
  })

  it("has examples without unknown fields", () => {
    for (const { success: { data, examples } } of Object.values(adminOperations)) {
      const strictly = Schema.decodeUnknownSync(data, { onExcessProperty: "error" })
      for (const { value } of Object.values(examples)) assert.deepStrictEqual(strictly(value), value)
    }
  })
})
