import type { HeaderObject, ParameterObject, Reference } from "./document-types.ts"

const seconds = { type: "integer", minimum: 1 }
const count = { type: "integer", minimum: 0 }

/** Headers of answers (docs/spec/http.md, "v2 answers", "Limits"). */
export const headers = {
  "X-Request-Id": {
    description: "Names this request in the log and in the trail: the caller's own `X-Request-Id` where it is "
      + "harmless, otherwise one that is made for it, which begins with the trace id of a `traceparent`. Quote it in questions.",
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
    description: "Your own name for the request; it comes back with the answer.",
    schema: { type: "string", pattern: "^[\\w.:-]{1,64}$" }
  }
} as const satisfies Record<string, ParameterObject>

export const parameterReference = (name: keyof typeof headerParameters): Reference => ({
  $ref: `#/components/parameters/${name}`
})
