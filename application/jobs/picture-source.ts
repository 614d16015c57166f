import { Array as Arr, Data, Effect, Result, Schedule } from "effect"
import type { Egress } from "../../ports/egress.ts"
import type { SlipReader } from "../../ports/slip-reader.ts"
import { describeVerification } from "../verification/describe-failure.ts"
import type { JobSource } from "../sealing/job-sealing.ts"
import {
  type ImageUnusable,
  type ImageUrlFailed,
  type NoSlip,
  type ReaderUnavailable,
  readSlip,
  type SlipSource
} from "../verification/slip-source.ts"

/** Some of the pictures are none that can be looked at. */
export class PicturesUnusable extends Data.TaggedError("PicturesUnusable")<{
  /** With their places among the slips, from 0. */
  readonly pictures: Arr.NonEmptyReadonlyArray<{ readonly index: number; readonly failure: ImageUnusable }>
}> {}

/** Pictures read at a time: enough to keep every reader at work while the next bytes are copied. */
const AT_A_TIME = 4

/** The reader has other callers: whoever has many pictures waits for his turn rather than fail all of them. */
const whileBusy = Schedule.spaced("250 millis").pipe(Schedule.upTo({ times: 40 }))

const isBusy = (error: NoSlip | ImageUrlFailed | ImageUnusable | ReaderUnavailable): boolean =>
  error._tag === "ReaderUnavailable" && error.reason === "busy"

const fault = (failure: NoSlip): JobSource => {
  const { code, message, why } = describeVerification(failure)
  return { fault: { code, message, why } }
}

const readPicture = (bytes: Uint8Array) =>
  readSlip({ _tag: "Image", bytes }).pipe(
    Effect.retry({ schedule: whileBusy, while: isBusy }),
    Effect.map((slip): JobSource => ({ payload: slip.text })),
    Effect.catchTags({
      NoSlip: (failure) => Effect.succeed(fault(failure)),
      // Nothing is fetched for bytes that are here.
      ImageUrlFailed: Effect.die
    })
  )

const keep = (
  source: SlipSource
): Effect.Effect<JobSource, ImageUnusable | ReaderUnavailable, SlipReader | Egress> => {
  switch (source._tag) {
    case "Payload":
      return Effect.succeed({ payload: source.text })
    case "ImageUrl":
      return Effect.succeed({ url: source.url })
    case "Image":
      return readPicture(source.bytes)
  }
}

/**
 * What the jobs keep of what was handed over. Pictures are read now, because their bytes never reach the log: what a
 * picture does not show ends its job, but what is no picture is told to the caller, all of it at once.
 */
export const keepSources = Effect.fnUntraced(function* (sources: ReadonlyArray<SlipSource>) {
  const read = yield* Effect.forEach(sources, (source, index) =>
    keep(source).pipe(
      Effect.map(Result.succeed),
      Effect.catchTag("ImageUnusable", (failure) => Effect.succeed(Result.fail({ index, failure })))
    ), { concurrency: AT_A_TIME })
  const pictures = read.flatMap((one) => Result.isFailure(one) ? [one.failure] : [])
  if (Arr.isReadonlyArrayNonEmpty(pictures)) return yield* new PicturesUnusable({ pictures })
  return read.flatMap((one) => Result.isSuccess(one) ? [one.success] : [])
})
