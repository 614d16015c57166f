import type { HeaderObject, MediaType, ParameterObject, Reference, ResponseObject } from "./document-types.ts"
import type { Schemas } from "./schemas.ts"
import type { Operation, Success } from "../operation.ts"
import { byStatus, codesOf, type FailingOperation, type Version } from "../version.ts"

/** The responses of an operation, by status. Responses of every operation with a key are references. */
export const responses = <Code extends string>(
  operation: Operation<Code>,
  version: Version<Code>,
  schemas: Schemas
): Readonly<Record<string, ResponseObject | Reference>> => {
  const shared = byStatus(version.callerCodes, version)
  const failures = [...byStatus(codesOf(operation, version), version)].map(([status, codes]) =>
    [
      String(status),
      shared.get(status)?.join() === codes.join()
        ? { $ref: `#/components/responses/${sharedName(version, status)}` }
        : failure(status, codes, operation, version, schemas)
    ] as const
  )
  return Object.fromEntries([[String(operation.success.status), success(operation, version, schemas)], ...failures])
}

/** The responses of every operation with a key, by name. */
export const sharedResponses = <Code extends string>(
  version: Version<Code>,
  schemas: Schemas
): Readonly<Record<string, ResponseObject>> =>
  Object.fromEntries(
    [...byStatus(version.callerCodes, version)].map((
      [status, codes]
    ) => [sharedName(version, status), failure(status, codes, {}, version, schemas)])
  )

const names: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  403: "Forbidden",
  429: "TooManyRequests",
  500: "ServerError",
  503: "Overloaded"
}

const sharedName = ({ prefix }: { readonly prefix: string }, status: number): string =>
  `${prefix}${names[status] ?? `Error${status}`}`

const RATE_LIMIT: ReadonlyArray<HeaderName> = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]

const success = <Code extends string>(operation: Operation<Code>, version: Version<Code>, schemas: Schemas) => {
  const { isKeyed, isOpen, success: { data, files, message } } = operation
  const response: ResponseObject = {
    description: message === "" ? "Success" : message,
    headers: headerReferences([
      "X-Request-Id",
      "X-Client-Request-Id",
      ...(isOpen === true || !version.hasRateLimit ? [] : RATE_LIMIT),
      ...(isKeyed === true ? ["Idempotent-Replayed" as const] : [])
    ]),
    content: files === undefined
      ? { "application/json": enclosed(operation.success, version, schemas) }
      : Object.fromEntries(
        Object.entries(files).map(([type, examples]) => [type, { schema: schemas.of(data), examples }])
      )
  }
  return response
}

/** JSON in the envelope of the version. */
const enclosed = <Code extends string>(success: Success, version: Version<Code>, schemas: Schemas): MediaType => ({
  schema: schemas.of(version.success(success.data)),
  examples: Object.fromEntries(
    Object.entries(success.examples).map((
      [name, { summary, value }]
    ) => [name, { summary, value: version.successExample(success, value) }])
  )
})

/** Whether a check before the rate limit failed. The quota is checked after the rate limit. */
const isBeforeRateLimit = (status: number, codes: ReadonlyArray<string>): boolean =>
  status === 401 || (status === 403 && !codes.some((code) => code.toUpperCase() === "QUOTA_EXCEEDED"))

const failure = <Code extends string>(
  status: number,
  codes: ReadonlyArray<Code>,
  operation: FailingOperation & Pick<Operation, "isKeyed" | "isOpen">,
  version: Version<Code>,
  schemas: Schemas
) => {
  const { isKeyed, isOpen, success } = operation
  const response: ResponseObject = {
    description: codes.map((code) => `\`${code}\`: ${version.meaningOf(code)}`).join("\n\n"),
    headers: headerReferences([
      "X-Request-Id",
      "X-Client-Request-Id",
      ...(codes.some(version.isRetryable) ? ["Retry-After" as const] : []),
      ...(isOpen === true || !version.hasRateLimit || isBeforeRateLimit(status, codes) ? [] : RATE_LIMIT),
      ...(isKeyed === true && codes.some(version.isRemembered) ? ["Idempotent-Replayed" as const] : [])
    ]),
    content: {
      "application/json": {
        schema: schemas.of(version.failure(status, codes, success)),
        examples: Object.fromEntries(
          codes.map((
            code
          ) => [code, { summary: version.meaningOf(code), value: version.failureExample(code, status, operation) }])
        )
      }
    }
  }
  return response
}

const seconds = { type: "integer", minimum: 1 }
const count = { type: "integer", minimum: 0 }

/** Headers of answers (docs/spec/http.md, "v2 answers", "Limits"). */
export const headers = {
  "X-Request-Id": {
    description:
      "Names this request in the log and in the trail. The service makes it; it begins with the trace id of a "
      + "`traceparent`. Quote it in questions.",
    schema: { type: "string", pattern: "^[\\w.:-]{1,64}$" }
  },
  "X-Client-Request-Id": {
    description: "The caller's own `X-Request-Id`, if the request had a valid one.",
    schema: { type: "string", pattern: "^[\\w.:-]{1,64}$" }
  },
  "Retry-After": { description: "Seconds until trying again may help.", schema: seconds },
  "X-RateLimit-Limit": { description: "Most requests that the branch can make at once.", schema: count },
  "X-RateLimit-Remaining": { description: "How many of them are left.", schema: count },
  "X-RateLimit-Reset": { description: "Seconds until all of them are there again.", schema: count },
  "Idempotent-Replayed": {
    description: "`true` when this is the answer to an earlier request with the same `Idempotency-Key`.",
    schema: { type: "string", const: "true" }
  }
} as const satisfies Record<string, HeaderObject>

export type HeaderName = keyof typeof headers

export const headerReferences = (names: ReadonlyArray<HeaderName>): Readonly<Record<string, Reference>> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** Headers of requests. */
export const headerParameters = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description: "Makes it safe to send the request again. The same key with the same body within 24 hours is "
      + "answered as the first time, byte for byte, with `Idempotent-Replayed: true`; it costs nothing and does not "
      + "make the slip a duplicate. With another body it is IDEMPOTENCY_KEY_REUSED, while the first is still running "
      + "IDEMPOTENCY_IN_PROGRESS. Failures that ask to try again are not remembered.",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x20-\\x7e]+$" },
    example: "order-42"
  },
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    required: false,
    description:
      "Your own id of the request. It comes back as `X-Client-Request-Id` and stands in the trail beside the "
      + "id of the service. Another form than this is ignored.",
    schema: { type: "string", pattern: "^[\\w.:-]{1,64}$" }
  }
} as const satisfies Record<string, ParameterObject>

export const parameterReference = (name: keyof typeof headerParameters): Reference => ({
  $ref: `#/components/parameters/${name}`
})
