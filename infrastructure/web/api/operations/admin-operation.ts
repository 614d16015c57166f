import { ReasonRequest } from "../requests/provisioning.ts"
import type { V2Code } from "../failures.ts"
import type { Body, Examples, Wire } from "../operation.ts"
import { pageOf } from "../values.ts"
import { answer, ok, type operationsOf } from "./declare.ts"

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

export const body = <const Json extends Wire>(json: Json, value: unknown) =>
  ({ json, examples: { example: { summary: "An example", value } } }) satisfies Body

/** A body that may be absent, and whose fields are all optional. */
export const optionalBody = <const Json extends Wire>(json: Json, value: unknown) =>
  ({ ...body(json, value), isOptional: true }) satisfies Body

/** A success with one example. */
const withExample =
  <const Status extends 200 | 201>(status: Status) =>
  <const Data extends Wire>(data: Data, message: string, value: unknown) =>
    answer(status)(data, message, { example: { summary: message, value } })

export const success = withExample(200)
export const created = withExample(201)

/** A file: an answer without an envelope. `files` has the examples of each media type. */
export const file = <const Data extends Wire>(
  data: Data,
  message: string,
  files: Readonly<Record<string, Examples>>
) => ({
  ...ok(data, message, {}),
  files
})

export const page = <const Item extends Wire>(item: Item, message: string, value: unknown) =>
  success(pageOf(item), message, { items: [value], nextCursor: null })

/** A change of the account, service or branch `:id` without a body. */
export const change = <const Path extends string, const Data extends Wire>(
  section: ReturnType<typeof operationsOf>,
  path: Path,
  summary: string,
  answered: ReturnType<typeof success<Data>>
) =>
  section.post(`/admin/v1/${path}`, {
    summary,
    description: "Changes nothing when it is so already.",
    success: answered,
    codes: codesWithId
  })

export const ban = <const Path extends string, const Data extends Wire>(
  section: ReturnType<typeof operationsOf>,
  path: Path,
  summary: string,
  answered: ReturnType<typeof success<Data>>
) => ({
  ...change(section, path, summary, answered),
  body: optionalBody(ReasonRequest, { reason: "Chargebacks" }),
  codes: codesWithBoth
})
