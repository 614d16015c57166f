import type { Operation } from "../operation.ts"
import { byStatus, type Version } from "../version.ts"
import type { Reference, ResponseObject } from "./document-types.ts"
import { type HeaderName, headerReferences } from "./headers.ts"
import type { Schemas } from "./schemas.ts"

/** Everything that an operation answers, by status; what every operation with a key answers is referred to. */
export const responses = <Code extends string>(
  operation: Operation<Code>,
  version: Version<Code>,
  schemas: Schemas
): Readonly<Record<string, ResponseObject | Reference>> => {
  const shared = byStatus(version.callerCodes, version)
  const failures = [...byStatus(operation.codes, version)].map(([status, codes]) =>
    [
      String(status),
      shared.get(status)?.join() === codes.join()
        ? { $ref: `#/components/responses/${sharedName(version, status)}` }
        : failure(status, codes, operation, version, schemas)
    ] as const
  )
  return Object.fromEntries([[String(operation.success.status), success(operation, version, schemas)], ...failures])
}

/** What every operation with a key answers, by its name. */
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
  500: "ServerError"
}

const sharedName = ({ prefix }: { readonly prefix: string }, status: number): string =>
  `${prefix}${names[status] ?? `Error${status}`}`

const RATE_LIMIT: ReadonlyArray<HeaderName> = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]

const success = <Code extends string>(operation: Operation<Code>, version: Version<Code>, schemas: Schemas) => {
  const { isKeyed, isOpen, success: { data, examples, message } } = operation
  const response: ResponseObject = {
    description: message === "" ? "Success" : message,
    headers: headerReferences([
      "X-Request-Id",
      ...(isOpen === true || !version.hasRateLimit ? [] : RATE_LIMIT),
      ...(isKeyed === true ? ["Idempotent-Replayed" as const] : [])
    ]),
    content: {
      "application/json": {
        schema: schemas.of(version.success(data)),
        examples: Object.fromEntries(
          Object.entries(examples).map((
            [name, { summary, value }]
          ) => [name, { summary, value: version.told(operation.success, value) }])
        )
      }
    }
  }
  return response
}

/** Callers are judged before their rate is, and their quota after it. */
const isBeforeRate = (status: number, codes: ReadonlyArray<string>): boolean =>
  status === 401 || (status === 403 && !codes.some((code) => code.toUpperCase() === "QUOTA_EXCEEDED"))

const failure = <Code extends string>(
  status: number,
  codes: ReadonlyArray<Code>,
  { fault, isKeyed, isOpen }: Pick<Operation, "fault" | "isKeyed" | "isOpen">,
  version: Version<Code>,
  schemas: Schemas
) => {
  const response: ResponseObject = {
    description: codes.map((code) => `\`${code}\`: ${version.meaningOf(code)}`).join("\n\n"),
    headers: headerReferences([
      "X-Request-Id",
      ...(codes.some(version.isRetryable) ? ["Retry-After" as const] : []),
      ...(isOpen === true || !version.hasRateLimit || isBeforeRate(status, codes) ? [] : RATE_LIMIT),
      ...(isKeyed === true && codes.some(version.isRemembered) ? ["Idempotent-Replayed" as const] : [])
    ]),
    content: {
      "application/json": {
        schema: schemas.of(version.failure(status, codes)),
        examples: Object.fromEntries(
          codes.map((code) => [code, { summary: version.meaningOf(code), value: version.refused(code, fault) }])
        )
      }
    }
  }
  return response
}
