import { Effect } from "effect"
import { payloadSource, type SlipSource } from "../../../../application/verification/slip-source.ts"
import { InlinePicture } from "../bodies/picture-text.ts"
import { fromFile, fromImage, fromInline, fromUrl } from "../operations/slip-image.ts"
import type { Fields, InvalidInput } from "../../input/decode.ts"
import { readBooleanWord } from "../../api/read-boolean.ts"
import { asBoolean } from "../bodies/form-text.ts"
import { type ApiError, V1Error } from "../../api/failures.ts"

export interface V1VerifyInput {
  readonly source: SlipSource
  /** Whether a slip that was verified before is an error. */
  readonly checkDuplicate: boolean
}

/** Fields that may hold the slip: `file` is a file of a form, `data` is text, `image` is either. */
const sources = ["payload", "data", "image", "file", "url"] as const

type Source = (typeof sources)[number]

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

/**
 * Decodes `checkDuplicate` (docs/spec/http.md, "v1"); false without it. Forms and queries have been converted to
 * booleans. Null and numbers are refused: a caller that wants duplicates refused must notice its mistake before it ships
 * goods twice.
 */
const checkDuplicateOf = (value: unknown): Effect.Effect<boolean, V1Error> => {
  const isChecked = value === undefined ? false : readBooleanWord(value)
  return isChecked === undefined
    ? Effect.fail(new V1Error({ code: "invalid_check_duplicate" }))
    : Effect.succeed(isChecked)
}

const invalidRequest = () => Effect.fail(new V1Error({ code: "invalid_request" }))

/** In a picture that is sent as text, only a URL can be invalid input: malformed, or with credentials. */
const urlFault = (error: ApiError | InvalidInput): ApiError | V1Error =>
  error._tag === "InvalidInput" ? new V1Error({ code: "invalid_url" }) : error

const sourceOf = (name: Source, value: unknown): Effect.Effect<SlipSource, ApiError | V1Error> => {
  if (value instanceof Uint8Array) {
    return name === "file" || name === "image" ? fromFile(name, value) : invalidRequest()
  }
  if (value instanceof InlinePicture) {
    return name === "data" || name === "image" ? fromInline(name, value) : invalidRequest()
  }
  if (typeof value !== "string") return invalidRequest()
  switch (name) {
    case "payload":
      return Effect.succeed(payloadSource(value))
    case "data":
    case "image":
      return Effect.mapError(fromImage(name, value), urlFault)
    case "url":
      return Effect.mapError(fromUrl(name, value), urlFault)
    case "file":
      return invalidRequest()
  }
}

/**
 * Decodes the fields of a verification, without resolving, fetching or reading the slip. In JSON, null counts as
 * absent. The text of a payload is checked later: an invalid one is a failed verification in the trail, as in v2.
 */
export const decodeV1Fields = Effect.fnUntraced(function* (fields: Fields) {
  const checkDuplicate = yield* checkDuplicateOf(fields["checkDuplicate"])
  const [name, another] = sources.filter((source) => isGiven(fields[source]))
  if (name === undefined || another !== undefined) return yield* invalidRequest()
  return { source: yield* sourceOf(name, fields[name]), checkDuplicate } satisfies V1VerifyInput
})

/** Decodes the verification of a TrueMoney slip: a payload does not lead to its picture. */
export const decodeV1Wallet = Effect.fnUntraced(function* (fields: Fields) {
  const input = yield* decodeV1Fields(fields)
  return input.source._tag === "Payload" ? yield* invalidRequest() : input
})

/** A query parameter. A repeated one becomes an array, which is not valid input. */
const parameterOf = (query: URLSearchParams, name: string): unknown => {
  const [first, ...more] = query.getAll(name)
  return more.length === 0 ? first : [first, ...more]
}

/** Decodes a verification from a query, whose slip is always a payload. An empty `checkDuplicate` counts as absent. */
export const decodeV1Query = (query: URLSearchParams) => {
  const checkDuplicate = parameterOf(query, "checkDuplicate")
  return decodeV1Fields({
    payload: parameterOf(query, "payload"),
    checkDuplicate: checkDuplicate === "" ? undefined : asBoolean(checkDuplicate)
  })
}
