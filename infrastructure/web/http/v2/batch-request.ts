import { Effect, Result, Schema } from "effect"
import { MAX_BATCH_SLIPS } from "../../../../domain/job.ts"
import type { PicturesUnusable } from "../../../../application/jobs/job-source.ts"
import { CallbackUrl } from "../../api/requests/slips.ts"
import { isFields } from "../../input/is-fields.ts"
import { normalizeSlip } from "../bodies/normalize-slip.ts"
import { areCallable, notCallable } from "./callback-url.ts"
import { decodeEnqueue, type EnqueueInput } from "./verify-request.ts"
import { decodeFields, type Fields, invalid, type InvalidInput } from "../../input/decode.ts"
import { isArrayUpTo } from "../../api/values.ts"
import type { Issue } from "../../api/failures.ts"
import { type ApiError, apiError, messageOf, type V2Code } from "../../api/failures.ts"
import { pictureUnusable, toApiError } from "../operations/application-failures.ts"

/** The slips of a batch. */
export interface BatchInput {
  readonly slips: ReadonlyArray<EnqueueInput>
  /** The default for slips without a `callbackUrl`. */
  readonly callbackUrl: string | undefined
}

const batchFieldsOf = decodeFields(Schema.Struct({
  slips: Schema.Array(Schema.Unknown).check(isArrayUpTo(MAX_BATCH_SLIPS)),
  callbackUrl: CallbackUrl
}))

type DecodeSlip = (fields: Fields) => Effect.Effect<EnqueueInput, ApiError | InvalidInput>

/** Decodes a batch. The error has an issue for each fault, with a path such as `slips.3.matchAmount`. */
export const decodeBatchOf = (decode: DecodeSlip) =>
  Effect.fnUntraced(function* (fields: Fields) {
    const { callbackUrl, slips: received } = yield* batchFieldsOf(fields)
    const decoded = yield* Effect.forEach(received, (slip, index) => decodeSlip(decode, slip, index))
    const slips = yield* allOrError(decoded)
    return { slips, callbackUrl } satisfies BatchInput
  })

/** Decodes a batch of slips of banks. */
export const decodeBatch = decodeBatchOf(decodeEnqueue)

/** The error for pictures of a batch that cannot be used. */
export const unusablePictures = ({ pictures }: PicturesUnusable) =>
  errorOf(pictures.map(({ failure, index }) => ({ path: `slips.${index}`, error: pictureUnusable(failure) })))

/** A fault in one slip, or in a field of the whole batch. */
interface Fault<Code extends V2Code> {
  readonly path: string
  readonly error: ApiError<Code>
}

const issuesOf = ({ error, path }: Fault<V2Code>): ReadonlyArray<Issue> =>
  error.issues?.map((issue) => ({ ...issue, path: issue.path === "" ? path : `${path}.${issue.path}` }))
    ?? [{ path, message: messageOf(error) }]

/** One error for all faults. It has their code and message when these are equal, otherwise VALIDATION_ERROR. */
const errorOf = <Code extends V2Code>(faults: ReadonlyArray<Fault<Code>>) => {
  const issues = faults.flatMap(issuesOf)
  const [first] = faults
  const isLikeFirst = ({ error }: Fault<Code>) =>
    error.code === first?.error.code && messageOf(error) === messageOf(first.error)
  return first === undefined || !faults.every(isLikeFirst)
    ? apiError("VALIDATION_ERROR", { issues })
    : apiError(first.error.code, { message: messageOf(first.error), issues })
}

const allOrError = <A, Code extends V2Code>(results: ReadonlyArray<Result.Result<A, Fault<Code>>>) => {
  const faults = results.flatMap((result) => Result.isFailure(result) ? [result.failure] : [])
  return faults.length > 0
    ? Effect.fail(errorOf(faults))
    : Effect.succeed(results.flatMap((result) => Result.isSuccess(result) ? [result.success] : []))
}

const pictureField = (slip: unknown): string => {
  const name = isFields(slip) ? ["image", "base64", "url"].find((field) => (slip[field] ?? null) !== null) : undefined
  return name === undefined ? "" : `.${name}`
}

/** The field that an error without issues is about. */
const fieldOf = ({ code }: ApiError, slip: Fields): string => {
  if (code === "INVALID_BANK_CODE") return ".bankCode"
  return code === "INVALID_EXTRA_VERIFY" ? ".extraVerify" : pictureField(slip)
}

const decodeSlip = (
  decode: DecodeSlip,
  slip: unknown,
  index: number
): Effect.Effect<Result.Result<EnqueueInput, Fault<V2Code>>> => {
  const path = `slips.${index}`
  if (!isFields(slip)) {
    return Effect.succeed(
      Result.fail({ path, error: toApiError(invalid({ path: "", message: "Expected an object" })) })
    )
  }
  return Effect.result(
    Effect.mapError(
      decode(normalizeSlip({ isForm: false, fields: slip })),
      (failure) => {
        const error = toApiError(failure)
        return { path: error.issues === undefined ? path + fieldOf(error, slip) : path, error }
      }
    )
  )
}

/** Fails with the paths of the URLs that callbacks may not use. */
export const checkCallbackUrls = Effect.fnUntraced(function* ({ callbackUrl, slips }: BatchInput, branchId: string) {
  const urls = [callbackUrl, ...slips.map((slip) => slip.callbackUrl)].flatMap((url, index) =>
    url === undefined ? [] : [{ url, path: index === 0 ? "callbackUrl" : `slips.${index - 1}.callbackUrl` }]
  )
  const callable = yield* areCallable(urls.map(({ url }) => url), branchId)
  yield* allOrError(
    urls.map(({ path, url }, index) =>
      callable[index] === true ? Result.succeed(url) : Result.fail({ path, error: notCallable() })
    )
  )
})
