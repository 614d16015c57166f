import { Effect, Option, Result, Schema } from "effect"
import type { SlipSource } from "../../../application/verification/slip-source.ts"
import { resolveBank } from "../../../domain/bank.ts"
import { fromBaht, type Satang } from "../../../domain/money.ts"
import type { AccountQuestion } from "../../../domain/slip/matching.ts"
import { Base64Text, CallbackUrl, sourceFields, verifyFields } from "../api/requests.ts"
import type { ReceivedBody } from "../api/operation.ts"
import { fromFile, fromImageText, fromInline, fromUrl } from "../slip-image.ts"
import { decodeFields, type Fields, invalid, type InvalidInput } from "../../input/decode.ts"
import type { ApiError } from "../api/failures.ts"
import { toApiError } from "../application-failures.ts"

/** In a form, files stand where JSON has text. */
const files = {
  image: Schema.optionalKey(Schema.Union([Base64Text, Schema.Uint8Array])),
  file: Schema.optionalKey(Schema.Uint8Array)
}

/** The fields of a verification (docs/spec/http.md, "POST /v2/verify/bank"), now or later ("Async"). */
const VerifyFields = Schema.Struct({ ...verifyFields, ...files })
const EnqueueFields = Schema.Struct({ ...verifyFields, ...files, callbackUrl: CallbackUrl })

const DecodeFields = Schema.Struct({ ...sourceFields, ...files })

export interface VerifyInput {
  readonly source: SlipSource
  readonly remark: string | undefined
  readonly expectedAmount: Satang | undefined
  readonly accounts: AccountQuestion | undefined
}

/** A slip to verify later: with the URL that its result is sent to. */
export interface EnqueueInput extends VerifyInput {
  readonly callbackUrl: string | undefined
}

const verifyFieldsOf = decodeFields(VerifyFields)
const enqueueFieldsOf = decodeFields(EnqueueFields)
const sourceFieldsOf = decodeFields(DecodeFields)

const asBoolean = (value: unknown): unknown => value === "true" ? true : value === "false" ? false : value
const asNumber = (value: unknown): unknown =>
  typeof value === "string" && /^-?\d+(\.\d+)?$/u.test(value.trim()) ? Number(value) : value

const withoutNulls = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

/** In JSON, null counts as absent: clients that serialise their models send it so. In a form, all but files is text. */
export const normalizeSlip = ({ fields, isForm }: ReceivedBody): Fields => {
  if (!isForm) return Object.values(fields).includes(null) ? withoutNulls(fields) : fields
  const { checkDuplicate, matchAccount, matchAmount, ...rest } = fields
  return {
    ...rest,
    ...(checkDuplicate === undefined ? {} : { checkDuplicate: asBoolean(checkDuplicate) }),
    ...(matchAccount === undefined ? {} : { matchAccount: asBoolean(matchAccount) }),
    ...(matchAmount === undefined ? {} : { matchAmount: asNumber(matchAmount) })
  }
}

const sourceOf = (fields: typeof DecodeFields.Type): Effect.Effect<SlipSource, ApiError | InvalidInput> => {
  const image = fields.image ?? fields.file
  const given = [fields.payload, image, fields.base64, fields.url].filter((one) => one !== undefined)
  if (given.length !== 1 || (fields.image !== undefined && fields.file !== undefined)) {
    return Effect.fail(invalid({ path: "", message: "Give exactly one of payload, image, base64, url" }))
  }
  if (fields.payload !== undefined) return Effect.succeed({ _tag: "Payload", text: fields.payload })
  if (image instanceof Uint8Array) return fromFile(image)
  if (image !== undefined) return fromImageText(image)
  if (fields.base64 !== undefined) return fromInline(fields.base64)
  return fromUrl("url", fields.url ?? "")
}

/** Which bank codes exist and which of them take or need `extraVerify` (docs/spec/http.md, "GET /v2/banks"). */
const checkBank = (
  bankCode: string | undefined,
  extraVerify: string | undefined
): ApiError | InvalidInput | undefined => {
  if (bankCode !== undefined) {
    return Result.match(resolveBank(bankCode, extraVerify), { onFailure: toApiError, onSuccess: () => undefined })
  }
  return extraVerify === undefined ? undefined : invalid({ path: "extraVerify", message: "Needs bankCode beside it" })
}

/** `bankCode` implies `matchAccount` (docs/spec/http.md, "POST /v2/verify/bank"). */
const questionOf = ({ bankCode, extraVerify, matchAccount }: typeof VerifyFields.Type): AccountQuestion | undefined =>
  matchAccount === true || bankCode !== undefined ? { bankCode, extraVerify } : undefined

const inputOf = Effect.fnUntraced(function* (fields: typeof VerifyFields.Type) {
  const fault = checkBank(fields.bankCode, fields.extraVerify)
  if (fault !== undefined) return yield* fault
  const source = yield* sourceOf(fields)
  const expected = fields.matchAmount === undefined ? undefined : Option.getOrUndefined(fromBaht(fields.matchAmount))
  const accounts = questionOf(fields)
  const input: VerifyInput = { source, remark: fields.remark, expectedAmount: expected, accounts }
  return input
})

/** Decodes a verification. Nothing is resolved, fetched or read yet. */
export const decodeVerify = (fields: Fields) => Effect.flatMap(verifyFieldsOf(fields), inputOf)

export const decodeEnqueue = Effect.fnUntraced(function* (fields: Fields) {
  const decoded = yield* enqueueFieldsOf(fields)
  const input: EnqueueInput = { ...(yield* inputOf(decoded)), callbackUrl: decoded.callbackUrl }
  return input
})

/** Decodes the source of an offline look: a payload or a picture. */
export const decodeSource = (fields: Fields) => Effect.flatMap(sourceFieldsOf(fields), sourceOf)
