import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { makeAdminDocument, makeDocument } from "../../infrastructure/web/api/openapi/document.ts"
import type { Document, OperationObject, SchemaObject } from "../../infrastructure/web/api/openapi/document-types.ts"
import {
  codeNames,
  codeSpans,
  type Declared,
  declaredShapes,
  isSameShape,
  notation,
  type Shape,
  statedShapes,
  type Table,
  tablesOf,
  withInner
} from "./stated-shapes.ts"

const page = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8")

/** The sections of a page by their headings. */
const sections = (text: string): ReadonlyMap<string, string> =>
  new Map(text.split(/^#+ /mu).map((part) => [part.split("\n")[0] ?? "", part]))

const api = makeDocument("0")
const adminApi = makeAdminDocument("0")
const declared = declaredShapes(api)
const adminDeclared = declaredShapes(adminApi)

/** A table of fields that is the object with this name. */
interface Fields {
  readonly fields: string
}
/** A table whose first column has the values of a field. */
interface Values {
  readonly values: readonly [schema: string, field: string]
}
/** A table of the parameters of an operation's query. */
interface Parameters {
  readonly parameters: readonly [path: string]
}
type Tabled = Fields | Values | Parameters | "operations" | "codes" | "no declaration"

interface Section {
  /** What each table of the section states. */
  readonly tables?: ReadonlyArray<Tabled>
  /** The objects that it states. Every `{…}` of the section is one of them, or an object inside one. */
  readonly objects?: ReadonlyArray<string>
}

/** What the sections of docs/spec/http.md state of the declaration. A section without an entry has neither tables nor objects. */
const anchors: Readonly<Record<string, Section>> = {
  "VALIDATION_ERROR": { objects: ["Issue"] },
  "v2 codes": { tables: ["codes"] },
  "v2 endpoints": { tables: ["operations"], objects: ["Health"] },
  "Lists": { objects: ["Jobs"] },
  "POST /v2/verify/bank": { tables: [{ fields: "VerifyRequest" }] },
  "VerifyBankData": { tables: [{ fields: "VerifyBankData" }], objects: ["MatchedAccount", "VerifyBankData"] },
  "rawSlip": { tables: [{ fields: "RawSlip" }], objects: ["Sender", "RawSlip"] },
  "VerifyWalletData": { objects: ["RawWalletSlip"] },
  "Outcomes without a slip": { tables: ["no declaration"] },
  "Upper bounds of waits": { tables: ["no declaration"] },
  "Conditions": {
    tables: [{ fields: "Conditions" }, { values: ["Reason", "code"] }],
    objects: ["ListedReceiver", "Reason"]
  },
  "Async": { objects: ["AcceptedJob", "BatchRequest", "AcceptedBatch"] },
  "GET job data": { tables: [{ fields: "Job" }], objects: ["JobFailure", "CallbackState"] },
  "GET batch data": { objects: ["Batch"] },
  "GET /v2/verifications": { tables: [{ parameters: ["/v2/verifications"] }], objects: ["VerificationItem"] },
  "GET /v2/verifications/:verificationId": { objects: ["VerificationDetail", "JobFailure"] },
  "POST /v2/verifications/:verificationId/notes": { objects: ["NoteRequest", "Note"] },
  "GET /v2/usage": { objects: ["Usage", "UsageDay"] },
  "GET /v2/jobs": { objects: ["JobItem"] },
  "Callback": { tables: ["no declaration", "no declaration"], objects: ["WebhookPayload"] },
  "Secret rotation": { objects: ["RotateRequest", "RotatedSecret"] },
  "Redelivery": { objects: ["Redelivery"] },
  "GET /v2/webhook": { objects: ["Webhook", "WebhookRequest"] },
  "GET /v2/webhook/deliveries": { objects: ["Deliveries"] },
  "GET /v2/info": { objects: ["Info", "Quota"] },
  "GET /v2/banks": { objects: ["Bank"] },
  "Bank accounts": { tables: [{ fields: "BankAccountRequest" }], objects: ["BankAccount"] },
  "Matching an account": { tables: ["no declaration"] },
  "Offline look at a payload": { objects: ["Decoded"] },
  "API keys": {
    tables: [{ values: ["ApiKey", "scopes"] }, "operations"],
    objects: ["ApiKey", "ApiKeyRequest", "ApiKeyRotation"]
  },
  "The shop's page": { tables: ["no declaration"] },
  "Limits": { tables: ["no declaration"] },
  "v1": { tables: ["operations"], objects: ["V1Me"] },
  "v1 codes": { tables: ["codes"] },
  "Documentation pages": { tables: ["no declaration"] },
  "Admin API": {
    tables: ["operations"],
    objects: ["Account", "Service", "Branch", "Operator", "Session", "OpenSignInLink", "SignInLink"]
  },
  "Statistics": { objects: ["Statistics", "StatisticsPeriod"] },
  "Trail query": { objects: ["Trail"] },
  "Search": { tables: [{ values: ["SearchResult", "by"] }], objects: ["SearchResult"] },
  "Audit": { objects: ["AuditAct"] }
}

const ADMIN = ["Admin API", "Statistics", "Trail query", "Search", "Audit"]

const shapeOf = (heading: string, name: string): Shape => {
  const { named, shapeOf } = ADMIN.includes(heading) ? adminDeclared : declared
  return shapeOf(named(name)) ?? assert.fail(`${name} has no fields`)
}

/** Every object of the admin API. The rows of its operations state those that they take and answer. */
const adminShapes = Object.values(adminApi.components.schemas).flatMap((schema) => {
  const shape = adminDeclared.shapeOf(schema)
  return shape === undefined ? [] : withInner(shape)
})

const propertyOf = (name: string, field: string): SchemaObject => declared.named(name).properties?.[field] ?? {}

/** The length and the type that a cell states are those of the declaration. */
const assertType = (name: string, field: string, cell: string): void => {
  const { maxLength, minLength = 0, type } = propertyOf(name, field)
  const [, from, to] = /(\d+) to (\d+) characters/u.exec(cell) ?? []
  // A picture as text has a limit in bytes of the picture.
  if (from !== undefined || (maxLength ?? Infinity) < 10_000) {
    assert.deepStrictEqual([Number(from), Number(to)], [minLength, maxLength], `${name}.${field}`)
  }
  const [, word = ""] = /^\[?(\w+)/u.exec(cell) ?? []
  if (type !== undefined) assert.strictEqual(word === "amount" ? "number" : word, type, `${name}.${field}`)
}

/** The rows state each field of the object once, and whether it may be absent and may be null where the table says so. */
const assertFields = (name: string, shape: Shape, { head, rows }: Table): void => {
  const names = rows.flatMap(([cell = ""]) => codeNames(cell))
  assert.sameMembers(names.filter((one) => !one.includes(".")), [...shape.keys()], name)
  for (const [cell = "", ...others] of rows) {
    const fields = codeNames(cell)
    const says = others.join(" ")
    for (const field of fields) {
      const [outer = "", inner] = field.split(".")
      const known = inner === undefined ? shape.get(outer) : shape.get(outer)?.inner?.get(inner)
      const label = `${name}.${field}`
      if (known === undefined) return assert.fail(label)
      assert.strictEqual(known.isOptional, isOptional(head, others) ?? known.isOptional, label)
      if (fields.length === 1) assert.strictEqual(known.isNullable, saysNull(says), label)
      else assert.strictEqual(known.isNullable, says.includes(`\`${field}\` is null`), label)
      if (head[1] === "type") assertType(name, field, others[0] ?? "")
      const named = codeNames(says).filter((one) => known.inner?.has(one))
      if (named.length > 0) assert.sameMembers([...new Set(named)], [...known.inner?.keys() ?? []], label)
    }
  }
}

const saysNull = (text: string): boolean => /\bnull\b/u.test(text.replaceAll(/`[^`]*\{[^`]*`/gu, ""))

/** Whether a row says that its field may be absent; undefined for a table that does not say it of each. */
const isOptional = (head: ReadonlyArray<string>, [second = ""]: ReadonlyArray<string>): boolean | undefined => {
  switch (head[1]) {
    case "when":
      return second !== "always"
    case "rule":
      return !second.startsWith("required;")
    case "what it is":
      return second.includes("only with ")
    case "default":
      return false
    default:
      return undefined
  }
}

const METHODS = ["get", "post", "put", "patch", "delete"] as const

/** The operations of a document by method and path, as the pages write them: without the base of the admin API. */
const operationsOf = (paths: Document["paths"]): ReadonlyMap<string, OperationObject> =>
  new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      METHODS.flatMap((method) => {
        const operation = item[method]
        const name = `${method.toUpperCase()} ${path.replace("/admin/v1", "").replaceAll(/\{(\w+)\}/gu, ":$1")}`
        return operation === undefined ? [] : [[name, operation] as const]
      })
    )
  )

/** The operations of a cell such as "GET, PATCH `/a/:id`; POST `/a/:id/ban`, `/unban`", with the parameters of their queries. */
const requests = (cell: string) => {
  const found: Array<{ readonly name: string; readonly query: Array<string> }> = []
  let methods: ReadonlyArray<string> = []
  let before = ""
  for (const [, word, code = ""] of cell.matchAll(/([A-Z]+(?:, [A-Z]+)*) |`([^`]+)`/gu)) {
    if (word !== undefined) {
      methods = word.split(", ")
      before = ""
      continue
    }
    const [path = "", query = ""] = code.split("?")
    const names = query.split("&").filter((one) => one !== "").map((one) => one.replace("=", ""))
    if (path === "") found.at(-1)?.query.push(...names)
    else {
      before = before === "" ? path : before.replace(/\/[^/]+$/u, path)
      found.push(...methods.map((method) => ({ name: `${method} ${before}`, query: [...names] })))
    }
  }
  return found
}

/** The body of an operation of the admin API. */
const bodyOf = (operation: OperationObject): SchemaObject | undefined => {
  const schema = Object.values(operation.requestBody?.content ?? {})[0]?.schema
  return schema === undefined ? undefined : adminApi.components.schemas[schema.$ref?.split("/").at(-1) ?? ""] ?? schema
}

/** The fields and parameters that an operation takes, without those of every list. */
const inputsOf = (operation: OperationObject | undefined, withPages = false): ReadonlySet<string> => {
  const parameters = (operation?.parameters ?? []).flatMap((one) => "in" in one && one.in === "query" ? [one.name] : [])
  const isPaged = parameters.includes("cursor")
  return new Set([
    ...parameters.filter((name) => withPages || !isPaged || !["cursor", "limit"].includes(name)),
    ...Object.keys(operation === undefined ? {} : bodyOf(operation)?.properties ?? {})
  ])
}

/** A row states the query, the body and the answer of its operations, or links to the section that does. */
const assertRow = (
  [cell = "", text = ""]: ReadonlyArray<string>,
  operations: ReadonlyMap<string, OperationObject>,
  { shapeOf }: Declared
): void => {
  const [takes = "", gives = ""] = text.split("→")
  const stated = requests(cell).map(({ name, query }) => ({ query, operation: operations.get(name) }))
  const bodies: Array<Shape> = []
  for (const { operation, query } of stated) {
    if (operation === undefined) return assert.fail(cell)
    const schema = Object.values(operation.requestBody?.content ?? {})[0]?.schema
    const body = schema === undefined ? undefined : shapeOf(schema)
    if (body !== undefined) bodies.push(body)
    const declaredQuery = schema === undefined ? [...inputsOf(operation)] : []
    if (query.length > 0 || !/\]\(#/u.test(text)) assert.sameMembers(query, declaredQuery, cell)
  }
  const said = statedShapes(takes)
  for (const shape of said) assert.isTrue(bodies.some((one) => isSameShape(shape, one)), `${cell} ${notation(shape)}`)
  for (const body of bodies) {
    const isStated = said.some((shape) => isSameShape(shape, body)) || /\]\(#/u.test(text)
    assert.isTrue(isStated, `${cell} ${notation(body)}`)
  }
  const answers = stated.flatMap(({ operation }) =>
    Object.entries(operation?.responses ?? {}).flatMap(([status, response]) => {
      const schema = status < "300" && "content" in response
        ? response.content?.["application/json"]?.schema
        : undefined
      const shape = schema === undefined ? undefined : shapeOf(schema)
      return shape === undefined ? [] : withInner(shape)
    })
  )
  for (const shape of statedShapes(gives)) {
    assert.isTrue(answers.some((one) => isSameShape(shape, one)), `${cell} → ${notation(shape)}`)
  }
}

/** What a row says beside the names: which fields are optional, values in brackets, and bounds. */
const assertInput = (operation: OperationObject, input: string, outline: string): void => {
  const body = bodyOf(operation)
  const [required = "", optional] = outline.split("; optional ")
  if (body !== undefined && optional !== undefined) {
    assert.sameMembers(codeNames(required), [...body.required ?? []], operation.operationId)
  }
  for (const [, name = "", inside = ""] of input.matchAll(/`(\w+)` \(([^)]+)\)/gu)) {
    const parameter = (operation.parameters ?? []).find((one) => "name" in one && one.name === name)
    const schema = body?.properties?.[name]
      ?? (parameter !== undefined && "schema" in parameter ? parameter.schema : {})
    const values = adminDeclared.valuesOf({ properties: { [name]: schema } }, name)
    if (codeNames(inside).length > 0 && values.length > 0) assert.sameMembers(codeNames(inside), [...values], name)
    const [, from, to, byDefault] = /(\d+) to (\d+), (\d+) by default/u.exec(inside) ?? []
    if (from !== undefined) {
      const { default: value, maximum, minimum } = schema
      assert.deepStrictEqual([Number(from), Number(to), Number(byDefault)], [minimum, maximum, value], name)
    }
  }
}

describe("docs/spec/http.md", () => {
  const found = sections(page("spec/http.md"))

  it("states tables and objects only in sections that say what is declared there", () => {
    for (const [heading, text] of found) {
      const { tables = [] } = anchors[heading] ?? {}
      assert.lengthOf(tablesOf(text), tables.length, heading)
      if (!Object.hasOwn(anchors, heading)) assert.lengthOf(statedShapes(text), 0, heading)
    }
    assert.deepStrictEqual(Object.keys(anchors).filter((heading) => !found.has(heading)), [])
  })

  for (const [heading, { objects = [], tables = [] }] of Object.entries(anchors)) {
    const text = found.get(heading) ?? ""
    for (const [index, what] of tables.entries()) {
      if (typeof what === "string") continue
      it(`has under "${heading}" the table of ${Object.values(what).flat().join(" ")}`, () => {
        const table = tablesOf(text)[index] ?? assert.fail("there is no such table")
        const first = table.rows.flatMap(([cell = ""]) => codeNames(cell))
        if ("fields" in what) assertFields(what.fields, shapeOf(heading, what.fields), table)
        if ("parameters" in what) assert.sameMembers(first, [...inputsOf(api.paths[what.parameters[0]]?.get, true)])
        if ("values" in what) {
          const [name, field] = what.values
          const { named, valuesOf } = ADMIN.includes(heading) ? adminDeclared : declared
          const schema = name === "SearchResult" ? named(name).properties?.["groups"]?.items ?? {} : named(name)
          assert.sameMembers(first, [...valuesOf(schema, field)])
        }
      })
    }
    it(`has under "${heading}" ${objects.join(", ") || "no object"}`, () => {
      const known = objects.map((name) => withInner(shapeOf(heading, name)))
      const stated = statedShapes(text)
      const allowed = heading === "Admin API" ? adminShapes : known.flat()
      for (const shape of stated) {
        assert.isTrue(allowed.some((one) => isSameShape(shape, one)), `${heading}: ${notation(shape)}`)
      }
      const tabled = tables.flatMap((what) => typeof what === "object" && "fields" in what ? [what.fields] : [])
      for (const [index, name] of objects.entries()) {
        const isStated = stated.some((shape) => known[index]?.some((one) => isSameShape(shape, one)))
        assert.isTrue(isStated || tabled.includes(name), `${heading}: ${notation(shapeOf(heading, name))}`)
      }
    })
  }

  it("has every operation of v1 and v2, with what it takes and answers", () => {
    const table = (heading: string) => tablesOf(found.get(heading) ?? "").at(-1)?.rows ?? []
    const stated = ["v2 endpoints", "v1"].flatMap((heading) => table(heading).flatMap(([cell = ""]) => requests(cell)))
    assert.sameMembers(stated.map(({ name }) => name), [...operationsOf(api.paths).keys()])
    const ofKeys = [...operationsOf(api.paths).keys()].filter((name) => name.includes(" /v2/keys"))
    assert.sameMembers(table("API keys").flatMap(([cell = ""]) => requests(cell)).map(({ name }) => name), ofKeys)
    for (const row of table("API keys")) assertRow(row, operationsOf(api.paths), declared)
  })

  it("has every operation of the admin API, with what it takes and answers", () => {
    const text = found.get("Admin API") ?? ""
    const rows = tablesOf(text)[0]?.rows ?? []
    const operations = operationsOf(adminApi.paths)
    assert.sameMembers(rows.flatMap(([cell = ""]) => requests(cell).map(({ name }) => name)), [...operations.keys()])
    for (const row of rows) assertRow(row, operations, adminDeclared)
  })
})

describe("docs/admin-api.md", () => {
  const rows = tablesOf(page("admin-api.md"))[0]?.rows ?? []
  const operations = operationsOf(adminApi.paths)

  it("has every operation with the fields that it takes", () => {
    const unlisted = ["GET /docs/*", "GET /openapi.json"]
    const stated = rows.flatMap(([cell = ""]) => codeSpans(cell))
    assert.sameMembers(stated, [...unlisted, ...operations.keys()])
    for (const [cell = "", input = ""] of rows) {
      const row = codeSpans(cell).flatMap((name) => operations.get(name) ?? [])
      const names = row.flatMap((operation) => [...inputsOf(operation)])
      const outline = (input.split(". ")[0] ?? "").replaceAll(/\([^)]*\)/gu, "").replaceAll(/=\w+`/gu, "`")
      assert.sameMembers(codeNames(outline), [...new Set(names)], cell)
      for (const operation of row) assertInput(operation, input, outline)
    }
  })
})
