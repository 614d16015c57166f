import { Effect, Result, Schema } from "effect"
import { imageCode } from "../../../application/verification/failures.ts"
import { MAX_BATCH_SLIPS } from "../../../application/jobs/enqueue-slips.ts"
import type { PicturesUnusable } from "../../../application/jobs/job-source.ts"
import { CallbackUrl } from "../api/fields.ts"
import { type Body, isFields } from "../body.ts"
import { areCallable, notCallable } from "./callback-url.ts"
import { type EnqueueRequest, parseEnqueueRequest, typed } from "./verify-request.ts"
import { decodeFields, type Fields, invalid, type Issue } from "../../input/decode.ts"
import { ApiError, apiError, messageOf } from "../api/failures.ts"
import { toApiError } from "../application-failures.ts"

/** The slips of a batch, and how to tell which of its pictures are none. */
export interface BatchRequest {
  readonly slips: ReadonlyArray<EnqueueRequest>
  readonly unusable: (error: PicturesUnusable) => ApiError
}

/**
 * Judges the body of a batch, what its pictures show excepted: all of it is right, or what is wrong is told with its
 * place, such as `slips.3.matchAmount`. A slip's own `callbackUrl` wins over the one of the batch.
 */
export const parseBatch = Effect.fnUntraced(function* (body: Body) {
  const { callbackUrl, slips: given } = yield* decodeBatch(typed(body))
  const slips = yield* all(yield* Effect.forEach(given, parseOne))
  yield* checkCallbackUrls(callbackUrl, slips)

  const places = given.map((slip, index) => `slips.${index}${pictureField(slip)}`)
  const request: BatchRequest = {
    slips: slips.map((slip) => ({ ...slip, callbackUrl: slip.callbackUrl ?? callbackUrl })),
    unusable: ({ pictures }) =>
      refused(
        pictures.map(({ failure, index }) => ({
          path: places[index] ?? "",
          error: apiError(imageCode(failure.reason))
        }))
      )
  }
  return request
})

const decodeBatch = decodeFields(Schema.Struct({
  slips: Schema.Array(Schema.Unknown).check(Schema.isBetweenLength(1, MAX_BATCH_SLIPS)),
  callbackUrl: CallbackUrl
}))

/** What is wrong with one slip, or with what all of them share. */
interface Fault {
  readonly path: string
  readonly error: ApiError
}

const issuesOf = ({ error, path }: Fault): ReadonlyArray<Issue> =>
  error.issues?.map((issue) => ({ ...issue, path: issue.path === "" ? path : `${path}.${issue.path}` }))
    ?? [{ path, message: messageOf(error) }]

/** All faults at once. They keep the code that a slip alone would get, as long as it is the same for all of them. */
const refused = (faults: ReadonlyArray<Fault>): ApiError => {
  const issues = faults.flatMap(issuesOf)
  const [first] = faults
  const isLikeFirst = ({ error }: Fault) =>
    error.code === first?.error.code && messageOf(error) === messageOf(first.error)
  if (first === undefined || !faults.every(isLikeFirst)) return toApiError(invalid(...issues))
  return new ApiError({ code: first.error.code, message: messageOf(first.error), issues })
}

const all = <A>(judged: ReadonlyArray<Result.Result<A, Fault>>): Effect.Effect<ReadonlyArray<A>, ApiError> => {
  const faults = judged.flatMap((one) => Result.isFailure(one) ? [one.failure] : [])
  return faults.length > 0
    ? Effect.fail(refused(faults))
    : Effect.succeed(judged.flatMap((one) => Result.isSuccess(one) ? [one.success] : []))
}

const pictureField = (slip: unknown): string => {
  const name = isFields(slip) ? ["image", "base64", "url"].find((field) => (slip[field] ?? null) !== null) : undefined
  return name === undefined ? "" : `.${name}`
}

/** The field that a code speaks of, where the error itself does not say it. */
const fieldOf = ({ code }: ApiError, slip: Fields): string => {
  if (code === "INVALID_BANK_CODE") return ".bankCode"
  return code === "INVALID_EXTRA_VERIFY" ? ".extraVerify" : pictureField(slip)
}

const parseOne = (slip: unknown, index: number): Effect.Effect<Result.Result<EnqueueRequest, Fault>> => {
  const path = `slips.${index}`
  if (!isFields(slip)) {
    return Effect.succeed(
      Result.fail({ path, error: toApiError(invalid({ path: "", message: "Expected an object" })) })
    )
  }
  return Effect.result(
    Effect.mapError(
      parseEnqueueRequest({ isForm: false, fields: slip }),
      (failure) => {
        const error = toApiError(failure)
        return { path: error.issues === undefined ? path + fieldOf(error, slip) : path, error }
      }
    )
  )
}

const checkCallbackUrls = Effect.fnUntraced(function* (
  shared: string | undefined,
  slips: ReadonlyArray<EnqueueRequest>
) {
  const urls = [shared, ...slips.map(({ callbackUrl }) => callbackUrl)].flatMap((url, index) =>
    url === undefined ? [] : [{ url, path: index === 0 ? "callbackUrl" : `slips.${index - 1}.callbackUrl` }]
  )
  const callable = yield* areCallable(urls.map(({ url }) => url))
  yield* all(
    urls.map(({ path, url }, index) =>
      callable[index] === true ? Result.succeed(url) : Result.fail({ path, error: notCallable() })
    )
  )
})
