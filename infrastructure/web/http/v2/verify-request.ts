import { Effect, Option, Result, Schema } from "effect"
import type { RequestedConditions } from "../../../../application/verification/conditions.ts"
import { payloadSource, type SlipSource } from "../../../../application/verification/slip-source.ts"
import { resolveBank } from "../../../../domain/bank.ts"
import { fromComputedBaht, type Satang } from "../../../../domain/money.ts"
import type { AccountQuestion } from "../../../../domain/slip/matching.ts"
import { Base64Text, CallbackUrl, sourceFields, verifyFields } from "../../api/requests/slips.ts"
import { InlinePicture } from "../bodies/picture-text.ts"
import { fromFile, fromImage, fromInline, fromUrl } from "../operations/slip-image.ts"
import { decodeConditions } from "../../input/conditions-request.ts"
import { decodeFields, type Fields, invalid, type InvalidInput } from "../../input/decode.ts"
import type { ApiError } from "../../api/failures.ts"
import { toApiError } from "../operations/application-failures.ts"

/** A picture that was decoded with the body. */
const Picture = Schema.instanceOf(InlinePicture)

const ANY_PICTURE = "a picture as text: base64, a data URI, or an http(s) URL; in a multipart form also a file"
const INLINE_PICTURE = "a picture as text: base64 or a data URI"
const FILE = "a file of a multipart form"

/** A form may have files where JSON has text. */
const files = {
  image: Schema.optionalKey(
    Schema.Union([Base64Text, Schema.Uint8Array, Picture]).annotate({ expected: ANY_PICTURE })
  ),
  base64: Schema.optionalKey(Schema.Union([Base64Text, Picture]).annotate({ expected: INLINE_PICTURE })),
  file: Schema.optionalKey(Schema.Uint8Array.annotate({ expected: FILE }))
}

/** Conditions have a decoder of their own, which refuses unknown fields. */
const conditions = Schema.optionalKey(Schema.Unknown)

/** The fields of a verification (docs/spec/http.md, "POST /v2/verify/bank"), and of a slip to enqueue ("Async"). */
const VerifyFields = Schema.Struct({ ...verifyFields, ...files, conditions })
const EnqueueFields = Schema.Struct({ ...verifyFields, ...files, conditions, callbackUrl: CallbackUrl })

const DecodeFields = Schema.Struct({ ...sourceFields, ...files })

export interface VerifyInput {
  readonly source: SlipSource
  readonly remark: string | undefined
  readonly expectedAmount: Satang | undefined
  readonly accounts: AccountQuestion | undefined
  readonly conditions: RequestedConditions | undefined
}

/** A slip to verify later, with the URL for its result. */
export interface EnqueueInput extends VerifyInput {
  readonly callbackUrl: string | undefined
}

/** Decodes the fields, and their conditions apart. The error has the issues of both. */
const withConditions = <A>(decode: (fields: Fields) => Effect.Effect<A, InvalidInput>) => {
  const decodeBoth = Effect.fnUntraced(function* (fields: Fields) {
    const conditions = yield* Effect.result(decodeConditions(fields["conditions"]))
    const decoded = yield* Effect.mapError(
      decode(fields),
      ({ issues }) => invalid(...issues, ...(Result.isFailure(conditions) ? conditions.failure.issues : []))
    )
    return { ...decoded, conditions: yield* Effect.fromResult(conditions) }
  })
  return (fields: Fields) =>
    fields["conditions"] === undefined
      ? Effect.map(decode(fields), (decoded) => ({ ...decoded, conditions: undefined }))
      : decodeBoth(fields)
}

const verifyFieldsOf = withConditions(decodeFields(VerifyFields))
const enqueueFieldsOf = withConditions(decodeFields(EnqueueFields))
const sourceFieldsOf = decodeFields(DecodeFields)

const sourceOf = (fields: typeof DecodeFields.Type): Effect.Effect<SlipSource, ApiError | InvalidInput> => {
  const image = fields.image ?? fields.file
  const sources = [fields.payload, image, fields.base64, fields.url].filter((source) => source !== undefined)
  if (sources.length !== 1 || (fields.image !== undefined && fields.file !== undefined)) {
    return Effect.fail(invalid({ path: "", message: "Give exactly one of payload, image, base64, url" }))
  }
  if (fields.payload !== undefined) return Effect.succeed(payloadSource(fields.payload))
  if (image instanceof Uint8Array) return fromFile(fields.image === undefined ? "file" : "image", image)
  if (image !== undefined) return fromImage("image", image)
  if (fields.base64 !== undefined) return fromInline("base64", fields.base64)
  return fromUrl("url", fields.url ?? "")
}

/** Checks that the bank exists, and that it takes or needs `extraVerify` (docs/spec/http.md, "GET /v2/banks"). */
const checkBank = (
  bankCode: string | undefined,
  extraVerify: string | undefined
): ApiError | InvalidInput | undefined => {
  if (bankCode !== undefined) {
    return Result.match(resolveBank(bankCode, extraVerify), { onFailure: toApiError, onSuccess: () => undefined })
  }
  return extraVerify === undefined ? undefined : invalid({ path: "extraVerify", message: "Requires bankCode" })
}

/** `bankCode` implies `matchAccount` (docs/spec/http.md, "POST /v2/verify/bank"). */
const questionOf = ({ bankCode, extraVerify, matchAccount }: typeof VerifyFields.Type): AccountQuestion | undefined =>
  matchAccount === true || bankCode !== undefined ? { bankCode, extraVerify } : undefined

type DecodedFields = Effect.Success<ReturnType<typeof verifyFieldsOf>>

const inputOf = (fields: DecodedFields): Effect.Effect<VerifyInput, ApiError | InvalidInput> => {
  const fault = checkBank(fields.bankCode, fields.extraVerify)
  if (fault !== undefined) return Effect.fail(fault)
  const expected = Option.flatMap(Option.fromUndefinedOr(fields.matchAmount), fromComputedBaht)
  const { conditions, remark } = fields
  return Effect.map(sourceOf(fields), (source) => ({
    source,
    remark,
    expectedAmount: Option.getOrUndefined(expected),
    accounts: questionOf(fields),
    conditions
  }))
}

/** Decodes a verification, without resolving, fetching or reading the slip. */
export const decodeVerify = (fields: Fields) => Effect.flatMap(verifyFieldsOf(fields), inputOf)

export const decodeEnqueue = Effect.fnUntraced(function* (fields: Fields) {
  const decoded = yield* enqueueFieldsOf(fields)
  return { ...(yield* inputOf(decoded)), callbackUrl: decoded.callbackUrl } satisfies EnqueueInput
})

/** Decodes the payload or picture of a request that asks no bank (docs/spec/http.md, "Offline look at a payload"). */
export const decodeSource = (fields: Fields) => Effect.flatMap(sourceFieldsOf(fields), sourceOf)
