import type { Decoders } from "../../../../infrastructure/web/http/operations/decode-request.ts"
import { assert, describe, it } from "../../../support/it.ts"
import { Effect, Result, SchemaAST } from "effect"
import { ApiError } from "../../../../infrastructure/web/api/failures.ts"
import type { Operation } from "../../../../infrastructure/web/api/operation.ts"
import { adminOperations } from "../../../../infrastructure/web/api/operations/admin.ts"
import { v1Operations, v2Operations } from "../../../../infrastructure/web/api/operations/all.ts"
import { slipOperations } from "../../../../infrastructure/web/http/v2/decoded-operations.ts"
import { decodeVerify } from "../../../../infrastructure/web/http/v2/verify-request.ts"
import { decodeFields, type Fields, InvalidInput } from "../../../../infrastructure/web/input/decode.ts"
import type { Issue } from "../../../../infrastructure/web/api/failures.ts"

const operations: ReadonlyArray<readonly [string, Operation & Decoders]> = [
  ...Object.entries<Operation>({ ...v2Operations, ...slipOperations }),
  ...Object.entries<Operation>(v1Operations),
  ...Object.entries<Operation>(adminOperations)
]

/** Values of every type, most of which a field refuses. */
const WRONG: ReadonlyArray<unknown> = [
  {},
  [],
  null,
  0,
  -1,
  1.5,
  1e20,
  true,
  "",
  " ",
  "x",
  "x".repeat(7_000_000),
  "\ud800",
  [{}],
  [1],
  [null],
  [["a"]],
  { a: 1 },
  { amount: {} },
  { a: { a: [{ a: 1 }] } },
  new Uint8Array(3)
]

type Path = ReadonlyArray<string | number>

const membersOf = (ast: SchemaAST.AST): ReadonlyArray<readonly [step: string | number | undefined, SchemaAST.AST]> => {
  if (SchemaAST.isUnion(ast)) return ast.types.map((type) => [undefined, type])
  if (SchemaAST.isArrays(ast)) return [...ast.elements, ...ast.rest].map((type) => [0, type])
  return SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name, type }) => [String(name), type]) : []
}

/** The paths of all values that a type can have inside. */
const pathsIn = (ast: SchemaAST.AST, path: Path = []): ReadonlyArray<Path> =>
  membersOf(ast).flatMap(([step, type]) => {
    const inner = step === undefined ? path : [...path, step]
    return [inner, ...pathsIn(type, inner)]
  })

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A value with another one at a path. */
const withAt = (base: unknown, [step, ...rest]: Path, value: unknown): unknown => {
  if (step === undefined) return value
  if (typeof step === "number") return [withAt(Array.isArray(base) ? base[0] : undefined, rest, value)]
  const fields = isRecord(base) ? base : {}
  return { ...fields, [step]: withAt(fields[step], rest, value) }
}

type Failed = Effect.Effect<ReadonlyArray<Issue>>

const issuesOf = <A, E>(decoded: Effect.Effect<A, E>): Failed =>
  Effect.map(Effect.result(decoded), (result) => {
    if (Result.isSuccess(result)) return []
    const { failure } = result
    return failure instanceof InvalidInput || failure instanceof ApiError ? failure.issues ?? [] : []
  })

/** The issues of an operation for every wrong value at every place of its body. */
const bodyIssues = ({ body, decodeBody }: Operation & Decoders): ReadonlyArray<Failed> => {
  if (body === undefined) return []
  const decode = decodeBody ?? decodeFields(body.json)
  const bases = [{}, ...Object.values(body.examples).map(({ value }) => value)]
  const paths = pathsIn(SchemaAST.toEncoded(body.json.ast))
  return bases.flatMap((base) =>
    paths.flatMap((path) =>
      WRONG.flatMap((value) => {
        const fields = withAt(base, path, value)
        return isRecord(fields) ? [issuesOf(decode(fields))] : []
      })
    )
  )
}

const queryIssues = ({ decodeQuery, query }: Operation & Decoders): ReadonlyArray<Failed> => {
  if (query === undefined) return []
  const decodeAll = decodeFields(query)
  const decode = decodeQuery ?? ((search: URLSearchParams) => decodeAll(Object.fromEntries(search)))
  return Object.keys(query.fields).flatMap((name) =>
    WRONG.flatMap((value) => {
      const text = typeof value === "string" ? value.slice(0, 3_000) : JSON.stringify(value)
      return [issuesOf(decode(new URLSearchParams({ [name]: text })))]
    })
  )
}

/** Names of types in the program or in the schema library, and that library's own sentences. */
const LIBRARY = [
  /<\w+>/u,
  /\b(?:Declaration|Uint8Array|Struct|Schema|Union|Literal|Tuple|Symbol|undefined|unknown|never)\b/u,
  // A term of the program, such as AmountConditions.
  /\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b/u,
  /Expected (?:string|number|boolean|array|object|Conditions|a valid value|another value|"|.* \| )/u,
  /a value with a length|excess property|Missing key|Unexpected key|Invalid data|member to match|Forbidden operation/u
]

describe("the issues of a request", () => {
  it.effect.each(operations)("to %s name no type of the program, and are texts", function* ([, operation]) {
    const issues = (yield* Effect.all([...bodyIssues(operation), ...queryIssues(operation)])).flat()
    for (const message of new Set(issues.map((issue) => issue.message))) {
      assert.match(message, /^[A-Z][^]{5,}/u)
      for (const pattern of LIBRARY) assert.notMatch(message.replaceAll(/got "[^]*/gu, ""), pattern)
    }
  })

  it.effect.each(
    [
      [
        "image",
        {},
        "Expected a picture as text: base64, a data URI, or an http(s) URL; in a multipart form also a file"
      ],
      [
        "image",
        [1],
        "Expected a picture as text: base64, a data URI, or an http(s) URL; in a multipart form also a file"
      ],
      ["image", "", "Expected 1 to 6640984 characters"],
      ["base64", 5, "Expected a picture as text: base64 or a data URI"],
      ["file", "a", "Expected a file of a multipart form"],
      ["payload", {}, "Expected text"],
      ["payload", new Uint8Array(3), "Expected text"],
      ["payload", "x".repeat(200), "Expected 1 to 128 characters"],
      ["matchAmount", "ten", "Expected a number"],
      ["matchAccount", "yes", "Expected true or false"],
      ["conditions.amount", [], "Expected an object"],
      ["conditions.duplicate", 1, "Expected one of reject, allow"],
      ["conditions.receivers", {}, "Expected registered or an array"],
      ["conditions.receivers.0", 1, "Expected an object"],
      ["conditions.receivers.0", {}, "This field is required"],
      ["conditions.sendingBanks", [], "Expected 1 to 50 items"]
    ] as const
  )("say what %s may be instead of %o", function* ([field, value, message]) {
    const path = field.split(".").map((step) => step === "0" ? 0 : step)
    const fields = withAt({}, path, value)
    const issues = yield* issuesOf(decodeVerify(isRecord(fields) ? fields : {}))
    const own = issues.filter((issue) => issue.path.startsWith(field))
    // One value has one issue, also where several types are possible.
    assert.strictEqual(new Set(own.map((issue) => issue.path)).size, own.length)
    assert.strictEqual(own[0]?.message, message)
  })
})
