import { Clock, Context, Data, Effect, Result } from "effect"
import { parseSlipPayload, type PayloadFault, type SlipPayload } from "../../domain/slip/payload.ts"
import { type QrSlip, qrSlipsOf } from "../../domain/slip/qr-slips.ts"
import { type QrReading, readQr } from "../../domain/slip/qr-kind.ts"
import { trimQrText } from "../../domain/slip/qr-text.ts"
import { parseWalletPayload } from "../../domain/slip/wallet-payload.ts"
import { transferTimeHint } from "../../domain/slip/transfer-time.ts"
import { slipTime } from "../../domain/time.ts"
import { type FairPermits, makeFairPermits } from "../fairness/fair-permits.ts"
import { Egress, type EgressError } from "../../ports/egress.ts"
import { MAX_IMAGE_BYTES, SlipReader, type SlipReaderError, type SlipReading } from "../../ports/slip-reader.ts"
import { whyUnusable } from "./unusable-picture.ts"

/** What a caller sends: the QR text, a picture, or the URL of a picture. */
export type SlipSource =
  | { readonly _tag: "Payload"; readonly text: string }
  /** `field` is the field of the request that has the picture, for issues. */
  | { readonly _tag: "Image"; readonly bytes: Uint8Array; readonly field?: string }
  | { readonly _tag: "ImageUrl"; readonly url: string; readonly field?: string }

/** The source of a QR text as a caller sends it: the one place that removes what machines add around such a text. */
export const payloadSource = (text: string): SlipSource => ({ _tag: "Payload", text: trimQrText(text) })

/** Which slips a request verifies. */
export type SlipKind = "bank" | "truemoney"

/** The source holds no slip. Only pictures fail with `no-qr`, `no-slip-qr` or `no-wallet-qr`. */
export class NoSlip extends Data.TaggedError("NoSlip")<{
  readonly reason: PayloadFault | "no-qr" | "no-slip-qr" | "no-wallet-qr"
}> {}

/** The source holds a slip of another kind than was requested. */
export class WrongSlipKind extends Data.TaggedError("WrongSlipKind")<{ readonly found: SlipKind }> {}

/** The picture shows more than one slip. To verify one of them would be a choice about money that nothing decides. */
export class SeveralSlips extends Data.TaggedError("SeveralSlips")<{}> {}

/** The picture could not be fetched from its URL. */
export class ImageUrlFailed extends Data.TaggedError("ImageUrlFailed")<{
  readonly reason: EgressError["reason"] | "bad-status"
  readonly detail: string
}> {}

/** The file is not a usable picture; `fromUrl` is true when it was fetched from a URL. */
export class ImageUnusable extends Data.TaggedError("ImageUnusable")<{
  readonly reason: "not-an-image" | "corrupt" | "too-large" | "too-many-pixels"
  readonly fromUrl: boolean
  /** What the file is instead, in words, where its bytes say it. */
  readonly why?: string | undefined
  /** The field of the request that has the picture. */
  readonly field?: string | undefined
}> {}

/** The slip reader is overloaded, too slow or broken. It is unknown whether the picture shows a slip. */
export class ReaderUnavailable extends Data.TaggedError("ReaderUnavailable")<{
  /** `branch-busy` and `over-budget` are limits of the branch; the others concern every branch. */
  readonly reason: "busy" | "branch-busy" | "over-budget" | "deadline" | "unavailable"
  /** Seconds until another attempt may succeed, where it is known. */
  readonly retryAfterSeconds?: number | undefined
}> {}

const IMAGE_URL_TIMEOUT_MILLIS = 10_000

/**
 * Permits to fetch and read the picture of a URL. They are shared by the requests and jobs of this process, so that slow
 * servers of one branch delay that branch only. Together, pictures under a permit hold at most 256 MiB.
 */
export const ImageFetches = Context.Reference<FairPermits>("sliptrail/application/ImageFetches", {
  defaultValue: () => makeFairPermits({ size: 48, perKey: 16, spare: 16, maxWaiting: 128, maxWait: "3 seconds" })
})

const fetchImage = Effect.fnUntraced(function* (url: string, branchId: string) {
  const egress = yield* Egress
  const response = yield* egress.request({
    branchId,
    method: "GET",
    url,
    headers: { accept: "image/jpeg, image/png, image/webp, image/gif" },
    schemes: ["http", "https"],
    maxRedirects: 3,
    maxBytes: MAX_IMAGE_BYTES,
    overflow: "fail",
    timeoutMillis: IMAGE_URL_TIMEOUT_MILLIS
  }).pipe(Effect.mapError(({ detail, reason }) => new ImageUrlFailed({ reason, detail })))
  if (response.status < 200 || response.status > 299) {
    return yield* new ImageUrlFailed({ reason: "bad-status", detail: `the server answered ${response.status}` })
  }
  return response.body
})

/** A picture with its place in the request. */
interface ReceivedPicture {
  readonly bytes: Uint8Array
  readonly field: string | undefined
  readonly fromUrl: boolean
}

const toSourceError = (error: SlipReaderError, { bytes, field, fromUrl }: ReceivedPicture) => {
  switch (error.reason) {
    case "busy":
    case "branch-busy":
    case "over-budget":
    case "deadline":
    case "unavailable":
      return new ReaderUnavailable({ reason: error.reason, retryAfterSeconds: error.retryAfterSeconds })
    default:
      return new ImageUnusable({ reason: error.reason, fromUrl, field, why: whyUnusable(error.reason, bytes) })
  }
}

/** What a picture shows, with its bytes. */
export interface PictureReading extends SlipReading {
  readonly bytes: Uint8Array
}

const readBytes = Effect.fnUntraced(function* (picture: ReceivedPicture, branchId: string) {
  const { bytes } = picture
  const read = (yield* SlipReader).read(bytes, branchId)
  return { ...(yield* Effect.mapError(read, (error) => toSourceError(error, picture))), bytes } satisfies PictureReading
})

/** Reads the picture of a source, as a share of the branch. */
export const readImage = Effect.fnUntraced(function* (
  source: Exclude<SlipSource, { readonly _tag: "Payload" }>,
  branchId: string
) {
  const { field } = source
  if (source._tag === "Image") return yield* readBytes({ bytes: source.bytes, field, fromUrl: false }, branchId)
  const { withPermit } = yield* ImageFetches
  return yield* fetchImage(source.url, branchId).pipe(
    Effect.flatMap((bytes) => readBytes({ bytes, field, fromUrl: true }, branchId)),
    withPermit(branchId),
    Effect.catchTag(
      "NoPermit",
      ({ reason }) => Effect.fail(new ReaderUnavailable({ reason: reason === "own-share" ? "branch-busy" : "busy" }))
    )
  )
})

/** The only slip of a picture; undefined without one. Slips of both kinds count: each is a payment. */
export const onlySlip = ({ slips }: SlipReading): Effect.Effect<QrSlip | undefined, SeveralSlips> =>
  slips.length > 1 ? Effect.fail(new SeveralSlips()) : Effect.succeed(slips[0])

const slipOf = Effect.fnUntraced(function* (reading: SlipReading): Effect.fn.Return<
  SlipPayload,
  NoSlip | WrongSlipKind | SeveralSlips
> {
  const slip = yield* onlySlip(reading)
  if (slip === undefined) return yield* new NoSlip({ reason: reading.texts.length === 0 ? "no-qr" : "no-slip-qr" })
  if (slip.kind === "truemoney") return yield* new WrongSlipKind({ found: "truemoney" })
  return slip
})

const isWalletText = (text: string): boolean => parseWalletPayload(text) !== undefined

/** Reads the slip of a bank from a source. A picture counts against the branch's share of the reader. */
export const readSlip = (source: SlipSource, branchId: string) => {
  if (source._tag !== "Payload") return Effect.flatMap(readImage(source, branchId), slipOf)
  const parsed = parseSlipPayload(source.text)
  if (Result.isSuccess(parsed)) return Effect.succeed(parsed.success)
  return Effect.fail(
    isWalletText(source.text) ? new WrongSlipKind({ found: "truemoney" }) : new NoSlip({ reason: parsed.failure })
  )
}

/** A QR text with hints from its transRef. `transferredAt` is ISO 8601 with the offset +07:00. */
export interface DecodedText extends QrReading {
  readonly hints: { readonly transferredAt?: string }
}

/** One QR text of a source, and every slip of the source. */
export interface Decoded extends DecodedText {
  readonly slips: ReadonlyArray<DecodedText>
}

const withHints = Effect.fnUntraced(function* (reading: QrReading) {
  const { sendingBank, transRef } = reading
  const now = yield* Clock.currentTimeMillis
  const time = sendingBank === null || transRef === null ? undefined : transferTimeHint(sendingBank, transRef, now)
  return { ...reading, hints: time === undefined ? {} : { transferredAt: slipTime(time) } } satisfies DecodedText
})

/** The text of a bank's slip is canonical: it does not show that the checksum was repaired. */
const readingOf = (slip: QrSlip): QrReading => {
  const reading = readQr(slip.text)
  return slip.kind === "bank" ? { ...reading, crc: slip.crc } : reading
}

/**
 * Decodes a payload or a picture without asking a bank (docs/spec/http.md, "Offline look at a payload"). Of several QR
 * codes it returns the slip's, or the first one when none is a slip's; of several slips the first of a bank. Fails with
 * `NoSlip` without a QR code.
 */
export const decode = Effect.fnUntraced(function* (source: SlipSource, branchId: string) {
  const texts = source._tag === "Payload" ? [source.text] : (yield* readImage(source, branchId)).texts
  const [text] = texts
  if (text === undefined) return yield* new NoSlip({ reason: "no-qr" })
  const slips = yield* Effect.forEach(qrSlipsOf(texts), (slip) => withHints(readingOf(slip)))
  const first = slips.find(({ kind }) => kind === "slip") ?? slips[0] ?? (yield* withHints(readQr(text)))
  return { ...first, slips } satisfies Decoded
})
