import { Array as Arr, Data, Effect, Result, Schedule } from "effect"
import type { Egress } from "../../ports/egress.ts"
import type { SlipReader } from "../../ports/slip-reader.ts"
import type { JobSource } from "../sealing/sealed-data.ts"
import { describeVerification } from "../verification/failures.ts"
import {
  type ImageUnusable,
  type ImageUrlFailed,
  type NoSlip,
  type ReaderUnavailable,
  readSlip,
  type SeveralSlips,
  type SlipKind,
  type SlipSource,
  type WrongSlipKind
} from "../verification/slip-source.ts"

/** Some of the uploaded files are not usable pictures. */
export class PicturesUnusable extends Data.TaggedError("PicturesUnusable")<{
  /** `index` is the position of the slip in the request, from 0. */
  readonly pictures: Arr.NonEmptyReadonlyArray<{ readonly index: number; readonly failure: ImageUnusable }>
}> {}

/** Enough to keep every reader busy while the bytes of the next picture are copied. */
const CONCURRENT_PICTURES = 4

/** Other requests use the reader too, so a request with many pictures waits instead of failing. */
const retryWhileBusy = Schedule.spaced("250 millis").pipe(Schedule.upTo({ times: 40 }))

const isBusy = (error: NotOneSlip | ImageUrlFailed | ImageUnusable | ReaderUnavailable): boolean =>
  error._tag === "ReaderUnavailable" && (error.reason === "busy" || error.reason === "branch-busy")

/** The picture does not show exactly one slip of the kind. */
type NotOneSlip = NoSlip | WrongSlipKind | SeveralSlips

const faultOf = (failure: NotOneSlip): JobSource => {
  const { code, error: { message }, why } = describeVerification(failure)
  return { fault: { code, message, why } }
}

const readPicture = (picture: Extract<SlipSource, { readonly _tag: "Image" }>, branchId: string) =>
  readSlip(picture, branchId).pipe(
    Effect.retry({ schedule: retryWhileBusy, while: isBusy }),
    Effect.map((slip): JobSource => ({ payload: slip.text })),
    Effect.catchTags({
      NoSlip: (failure) => Effect.succeed(faultOf(failure)),
      WrongSlipKind: (failure) => Effect.succeed(faultOf(failure)),
      SeveralSlips: (failure) => Effect.succeed(faultOf(failure)),
      // Reading bytes fetches no URL.
      ImageUrlFailed: Effect.die
    })
  )

/** A slip to enqueue. The source of a TrueMoney slip is the URL of its picture: a job needs the picture. */
interface Enqueued {
  /** The position of the slip in the request, from 0. */
  readonly index: number
  readonly kind?: SlipKind
  readonly source: SlipSource
}

const jobSource = (
  { kind, source }: Enqueued,
  branchId: string
): Effect.Effect<JobSource, ImageUnusable | ReaderUnavailable, SlipReader | Egress> => {
  switch (source._tag) {
    case "Payload":
      return Effect.succeed({ payload: source.text })
    case "ImageUrl":
      return Effect.succeed(kind === "truemoney" ? { walletUrl: source.url } : { url: source.url })
    case "Image":
      return readPicture(source, branchId)
  }
}

/**
 * Returns the source that each job stores. Pictures are read now, because the log never holds their bytes. A picture
 * without a slip ends its job. Files that are not usable pictures fail the whole request, in one error.
 */
export const jobSources = Effect.fnUntraced(function* (slips: ReadonlyArray<Enqueued>, branchId: string) {
  const read = yield* Effect.forEach(slips, (slip) =>
    jobSource(slip, branchId).pipe(
      Effect.map(Result.succeed),
      Effect.catchTag("ImageUnusable", (failure) => Effect.succeed(Result.fail({ index: slip.index, failure })))
    ), { concurrency: CONCURRENT_PICTURES })
  const pictures = read.flatMap((result) => Result.isFailure(result) ? [result.failure] : [])
  if (Arr.isReadonlyArrayNonEmpty(pictures)) return yield* new PicturesUnusable({ pictures })
  return read.flatMap((result) => Result.isSuccess(result) ? [result.success] : [])
})
