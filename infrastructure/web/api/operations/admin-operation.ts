import type { Schema } from "effect"
import { ReasonRequest } from "../requests/provisioning.ts"
import type { V2Code } from "../failures.ts"
import type { Body, Examples, Wire } from "../operation.ts"
import { pageSchema } from "../responses/admin.ts"

/** The codes of every operation of the admin API. */
export const adminCodes = [
  "MISSING_API_KEY",
  "INVALID_API_KEY",
  "ROLE_MISSING",
  "RATE_LIMIT_EXCEEDED",
  "API_SERVER_ERROR",
  "INTERNAL_SERVER_ERROR"
] as const satisfies ReadonlyArray<V2Code>

export const codesWithId = [...adminCodes, "NOT_FOUND"] as const
export const codesWithInput = [...adminCodes, "VALIDATION_ERROR"] as const
export const codesWithBoth = [...codesWithId, "VALIDATION_ERROR"] as const
/** The codes of operations that accept an API key. */
export const codesWithKey = [...codesWithBoth, "API_KEY_IN_USE"] as const

export const id = { description: "The id. Case does not matter." }

export const body = <const Json extends Wire>(json: Json, value: unknown) =>
  ({ json, examples: { example: { summary: "An example", value } } }) satisfies Body

/** A body that may be absent, and whose fields are all optional. */
export const optionalBody = <const Json extends Wire>(json: Json, value: unknown) =>
  ({ ...body(json, value), isOptional: true }) satisfies Body

export const success = <const Data extends Schema.Codec<unknown, unknown>>(
  data: Data,
  message: string,
  value: unknown
) => {
  const values: Examples = { example: { summary: message, value } }
  return { status: 200 as const, data, message, examples: values }
}

/** A file: an answer without an envelope. `files` has the examples of each media type. */
export const file = <const Data extends Wire>(
  data: Data,
  message: string,
  files: Readonly<Record<string, Examples>>
) => ({ status: 200 as const, data, message, examples: {} as Examples, files })

export const created = <const Data extends Wire>(data: Data, message: string, value: unknown) => ({
  ...success(data, message, value),
  status: 201 as const
})

export const page = <const Item extends Wire>(item: Item, message: string, value: unknown) =>
  success(pageSchema(item), message, { items: [value], nextCursor: null })

/** A change of the account, service or branch `:id` without a body. */
export const change = <const Path extends string, const Data extends Wire>(
  tag: string,
  path: Path,
  summary: string,
  answer: ReturnType<typeof success<Data>>
) => ({
  method: "POST" as const,
  path: `/admin/v1/${path}` as const,
  tag,
  summary,
  description: "Changes nothing when it is so already.",
  params: { id },
  success: answer,
  codes: codesWithId
})

export const ban = <const Path extends string, const Data extends Wire>(
  tag: string,
  path: Path,
  summary: string,
  answer: ReturnType<typeof success<Data>>
) => ({
  ...change(tag, path, summary, answer),
  body: optionalBody(ReasonRequest, { reason: "Chargebacks" }),
  codes: codesWithBoth
})
