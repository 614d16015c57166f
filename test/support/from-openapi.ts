import { pick, type Random, text } from "./random.ts"

/** The part of JSON Schema that requests use. */
interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly enum?: ReadonlyArray<unknown>
  readonly const?: unknown
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly oneOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: JsonSchema
  readonly maxLength?: number
  readonly format?: string
  readonly examples?: ReadonlyArray<unknown>
}

interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly schema?: JsonSchema
}

interface Content {
  readonly schema?: JsonSchema
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>
}

interface Operation {
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<Record<string, unknown>>
}

/** The part of an OpenAPI document that describes requests. */
export interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** An operation of a document. */
export interface DescribedOperation extends Operation {
  readonly method: string
  readonly path: string
}

const METHODS = ["get", "post", "put", "patch", "delete"]

/** All operations of a document. */
export const operationsOf = ({ paths }: Described): ReadonlyArray<DescribedOperation> =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() }))
  )

const HOSTILE: ReadonlyArray<unknown> = [
  null,
  true,
  0,
  -1,
  1e308,
  0.1 + 0.2,
  2 ** 53,
  "",
  " ",
  "null",
  "\u0000",
  "\ud800",
  "\u202e",
  "a".repeat(3_000),
  "../../etc/passwd",
  "http://169.254.169.254/",
  "file:///etc/passwd",
  "data:image/png;base64,iVBORw0KGgo=",
  "${jndi:ldap://a}",
  "'; DROP TABLE slips; --",
  "ก็ํา",
  [],
  {},
  [[[[[[[[]]]]]]]],
  { constructor: { prototype: { polluted: true } } }
]

const FORMATS: Readonly<Record<string, string>> = {
  uuid: "0f8fad5b-d9cb-4f69-a165-70867728950e",
  uri: "https://shop.example/told",
  "date-time": "2026-11-21T05:00:00.000Z"
}

const CHARACTERS = 'abcXYZ0129-_. /?%&=:#"\\\u00e9\u0e01\u{1f600}'

/** Makes requests for the operations of a document, some valid and some with hostile values. */
export const makeRequests = (document: Described, random: Random) => {
  const resolve = <A extends { readonly $ref?: string }>(one: A): A => {
    if (one.$ref === undefined) return one
    let found: unknown = document
    for (const step of one.$ref.replace(/^#\//u, "").split("/")) {
      found = typeof found === "object" && found !== null ? Reflect.get(found, step.replaceAll("~1", "/")) : undefined
    }
    return resolve(found as A)
  }

  const chance = (share: number): boolean => random() < share

  const ofType = (schema: JsonSchema, type: string | undefined, depth: number): unknown => {
    switch (type) {
      case "object": {
        const { properties = {}, required = [] } = schema
        const names = Object.keys(properties).filter((name) => required.includes(name) ? chance(0.9) : chance(0.4))
        return Object.fromEntries(names.map((name) => [name, valueOf(properties[name] ?? {}, depth + 1)]))
      }
      case "array":
        return Array.from({ length: Math.floor(random() * 4) }, () => valueOf(schema.items ?? {}, depth + 1))
      case "boolean":
        return chance(0.5)
      case "integer":
        return Math.floor(random() * 1_000)
      case "number":
        return Math.round(random() * 100_000) / 100
      case "string":
        return FORMATS[schema.format ?? ""] ?? text(random, CHARACTERS, Math.min(schema.maxLength ?? 40, 60) * 1.2)
      default:
        return null
    }
  }

  /** A value that matches the schema, or a hostile value. */
  const valueOf = (given: JsonSchema, depth = 0): unknown => {
    if (chance(0.12) || depth > 6) return pick(random, HOSTILE, null)
    const schema = resolve(given)
    if (schema.const !== undefined) return schema.const
    if (schema.enum !== undefined) return pick(random, schema.enum, null)
    if (schema.examples !== undefined && chance(0.6)) return pick(random, schema.examples, null)
    const alternatives = schema.anyOf ?? schema.oneOf
    if (alternatives !== undefined) return valueOf(pick(random, alternatives, {}), depth)
    if (schema.allOf !== undefined) return Object.assign({}, ...schema.allOf.map((part) => valueOf(part, depth)))
    const types = [schema.type ?? (schema.properties === undefined ? [] : "object")].flat()
    return ofType(schema, pick(random, types, undefined), depth)
  }

  const asText = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value)
  /** One line of printable ASCII, as a header requires. */
  const asHeader = (value: unknown): string => asText(value).replaceAll(/[^\x20-\x7e]/gu, "?")

  const url = ({ parameters = [], path }: DescribedOperation): string => {
    const all = parameters.map(resolve)
    const filled = path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => {
      const parameter = all.find((one) => one.in === "path" && one.name === name)
      return encodeURIComponent(asText(valueOf(parameter?.schema ?? {})).replaceAll(/\p{Surrogate}/gu, "\ufffd")).slice(
        0
      )
    })
    const query = all.filter((one) => one.in === "query" && chance(0.6)).map(({ name, schema = {} }) =>
      `${name}=${encodeURIComponent(asText(valueOf(schema)).replaceAll(/\p{Surrogate}/gu, "\ufffd"))}`
    )
    return query.length === 0 ? filled : `${filled}?${query.join(chance(0.95) ? "&" : "&&=&")}`
  }

  const form = (value: unknown, boundary: string): string => {
    const fields = typeof value === "object" && value !== null ? Object.entries(value) : []
    const parts = fields.map(([name, field]) => {
      const file = chance(0.2) ? '; filename="slip.png"\r\nContent-Type: image/png' : ""
      return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${asHeader(field)}\r\n`
    })
    return `${parts.join("")}--${boundary}${chance(0.95) ? "--\r\n" : ""}`
  }

  const urlencoded = (value: unknown): string => {
    const fields = typeof value === "object" && value !== null ? Object.entries(value) : []
    const pairs = fields.map(([name, field]) => [name, asText(field).replaceAll(/\p{Surrogate}/gu, "\ufffd")])
    const encoded = new URLSearchParams(pairs).toString()
    return chance(0.95) ? encoded : `${encoded}&%a1=%zz&&=`
  }

  const bodyOf = (
    { requestBody }: DescribedOperation
  ): { readonly type: string; readonly body: string } | undefined => {
    const contents = Object.entries(requestBody?.content ?? {})
    const [type, content] = pick<readonly [string, Content]>(random, contents, ["application/json", {}])
    if (contents.length === 0 && chance(0.8)) return undefined
    const example = pick(random, Object.values(content.examples ?? {}), undefined)?.value
    const value = example !== undefined && chance(0.4) ? example : valueOf(content.schema ?? {})
    if (type === "multipart/form-data") return { type: `${type}; boundary=b0undary`, body: form(value, "b0undary") }
    if (type === "application/x-www-form-urlencoded" && chance(0.95)) return { type, body: urlencoded(value) }
    const json = JSON.stringify(value).replaceAll(
      /[^\x20-\x7e]/gu,
      (one) => one.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")
    )
    return { type, body: chance(0.93) ? json : json.slice(0, Math.floor(random() * json.length)) }
  }

  /** The bytes of one request. The connection is closed after the answer. */
  return (operation: DescribedOperation, key: string): string => {
    const { parameters = [] } = operation
    const authorization = chance(0.9)
      ? [`Authorization: Bearer ${key}`]
      : chance(0.5)
      ? ["Authorization: Basic eA=="]
      : []
    const own = parameters.map(resolve).filter((one) => one.in === "header" && chance(0.4)).map((
      { name, schema = {} }
    ) => `${name}: ${asHeader(valueOf(schema)).slice(0, 4_000)}`)
    const content = bodyOf(operation)
    const type = content === undefined ? [] : [`Content-Type: ${chance(0.93) ? content.type : "text/html"}`]
    const body = content?.body ?? ""
    const length = content === undefined ? [] : [`Content-Length: ${body.length}`]
    const head = [
      `${operation.method} ${url(operation)} HTTP/1.1`,
      "Host: a",
      ...authorization,
      ...own,
      ...type,
      ...length
    ]
    return [...head, "Connection: close", "", body].join("\r\n")
  }
}
