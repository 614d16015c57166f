import { registerSchema, validate } from "@hyperjump/json-schema/openapi-3-1"
import { assert } from "@effect/vitest"
import { Effect, Exit, Schema } from "effect"
import type { Operation, Wire } from "../../infrastructure/web/api/operation.ts"
import { v1Operations, v2Operations } from "../../infrastructure/web/api/operations/all.ts"
import { makeDocument } from "../../infrastructure/web/api/openapi/document.ts"
import { byStatus, codesOf, v1Version, v2Version, type Version } from "../../infrastructure/web/api/version.ts"
import type { Answer, Client } from "./client.ts"

/** A declared operation of the service. v1 operations occur at their base path and at its alias. */
export interface Declared {
  readonly name: string
  readonly method: string
  /** The path in the router's notation. */
  readonly path: string
  readonly codes: ReadonlyArray<string>
  readonly isOpen: boolean
  readonly hasBody: boolean
  /** Fails when an answer is not declared for this operation. */
  readonly assertAnswer: (answer: Answer) => Promise<void>
}

const URI = "https://sliptrail.test/declared.json"
registerSchema(JSON.parse(JSON.stringify(makeDocument("0"))), URI, "https://spec.openapis.org/oas/3.1/schema-base")

const escaped = (step: string): string => step.replaceAll("~", "~0").replaceAll("/", "~1")

/** The address of an operation's answer in the document. Failures that all operations share are in the components. */
const published = (method: string, path: string, status: number): string => {
  const template = path.replace(/^\/api/u, "").replaceAll(/:(\w+)/gu, "{$1}")
  return `${URI}#${encodeURI(`/paths/${escaped(template)}/${method.toLowerCase()}/responses/${status}`)}`
}

const isValid = async (address: string, text: string): Promise<boolean> => {
  const { valid } = await validate(`${address}/content/application~1json/schema`, JSON.parse(text))
  return valid
}

const declare = <Code extends string>(
  name: string,
  operation: Operation<Code>,
  version: Version<Code>,
  prefix = ""
): Declared => {
  const { body, isOpen = false, method, path, success } = operation
  const codes = codesOf(operation, version)
  const failures = byStatus(codes, version)
  const schemas = new Map<number, Wire>([
    [success.status, version.success(success.data)],
    ...[...failures].map(([status, some]) => [status, version.failure(status, some, success)] as const)
  ])
  const isShared = (status: number) =>
    byStatus(version.callerCodes, version).get(status)?.join() === failures.get(status)?.join()

  return {
    name,
    method,
    path: prefix + path,
    codes,
    isOpen,
    hasBody: body !== undefined,
    assertAnswer: async ({ headers, status, text }) => {
      const label = `${method} ${path}: ${status} ${text}`
      const schema = schemas.get(status)
      if (schema === undefined) throw new Error(`not a declared answer: ${label}`)
      const body: unknown = JSON.parse(text)
      const decoded = Schema.decodeUnknownExit(schema, {
        onExcessProperty: "error",
        errors: "all"
      })(body)
      assert.isTrue(Exit.isSuccess(decoded), `${label} ${JSON.stringify(decoded)}`)
      if (!isShared(status)) assert.isTrue(await isValid(published(method, path, status), text), label)
      assert.strictEqual(headers.get("content-type"), "application/json", label)
      assert.match(headers.get("x-request-id") ?? "", /^[\w.:-]{1,64}$/u, label)
    }
  }
}

const names = <Operations extends object>(operations: Operations) =>
  Object.keys(operations) as Array<keyof Operations & string>

/** All declared operations. */
export const declared: ReadonlyArray<Declared> = [
  ...names(v2Operations).map((name) => declare(name, v2Operations[name], v2Version)),
  ...["", "/api"].flatMap((prefix) =>
    names(v1Operations).map((name) => declare(name, v1Operations[name], v1Version, prefix))
  )
]

const pattern = (path: string): RegExp => new RegExp(`^${path.replaceAll(/:\w+/gu, "[^/]+")}(\\?.*)?$`, "u")

export const declaredAt = (method: string, path: string): Declared | undefined =>
  declared.find((one) => one.method === method && pattern(one.path).test(path))

/** The code of a failure, in the envelope of either version. Undefined for a success. */
export const codeOf = ({ status, text }: Answer): string | undefined => {
  if (status < 400) return undefined
  const { error, message }: { readonly error?: { readonly code: string }; readonly message?: string } = JSON.parse(text)
  return error?.code ?? message
}

/** An answer with its operation. */
export interface DeclaredAnswer {
  readonly operation: Declared
  readonly answer: Answer
}

/** A client that checks and records the answer of each call of a declared operation. */
export const withDeclarationCheck = <Of extends Client>(client: Of, seen: Array<DeclaredAnswer>): Of => {
  const call: Client["call"] = <Data>(...parameters: Parameters<Client["call"]>) =>
    Effect.tap(client.call<Data>(...parameters), (answer) => {
      const [method, path] = parameters
      const operation = declaredAt(method, path)
      if (operation === undefined) return Effect.void
      seen.push({ operation, answer })
      return Effect.promise(() => operation.assertAnswer(answer))
    })
  const verify: Client["verify"] = (key, body) =>
    call("POST", "/v2/verify/bank", { key, body: typeof body === "string" ? { payload: body } : body })
  return { ...client, call, verify }
}
