import type { FailureCode } from "../../domain/failed-verification.ts"
import { type FailureMessageCode, failureMessages } from "./failure-messages.ts"
import type { Asked, SlipPending, SlipUnknown, UpstreamUnavailable } from "./ask-bank.ts"
import type { ImageUnusable, ImageUrlFailed, NoSlip, ReaderUnavailable } from "./slip-source.ts"

/** The ways in which a verification ends without a slip and leaves that in the trail. */
export type VerificationFailure = NoSlip | SlipUnknown | SlipPending | UpstreamUnavailable

/** The ways in which a picture is not looked at: nothing is said of a slip. */
export type PictureFailure = ImageUrlFailed | ImageUnusable | ReaderUnavailable

/** How a failure stands in the trail and in what its branch is told. */
export interface Described<Code extends FailureMessageCode> {
  readonly code: Code
  readonly message: string
  /** For a person: at which step it ended and on what ground. */
  readonly why: string
  /** Null when no bank was asked. */
  readonly asked: Asked | null
}

/** How it stands in the trail that no bank was asked. */
export const NOT_ASKED = { gateway: null, gatewayMillis: null, upstream: null, askedBefore: [] } as const

const WHY: Readonly<Record<NoSlip["reason"] | SlipUnknown["reason"], string>> = {
  "too-long": "the QR text is longer than any slip's",
  "broken-tlv": "the QR text is broken",
  "wrong-crc": "the checksum of the QR text is wrong",
  "not-a-slip": "the QR text is not that of a bank slip",
  "no-qr": "there is no QR code in the picture",
  "no-slip-qr": "no QR code in the picture is that of a bank slip",
  "unreadable": "the picture could not be read in time",
  "unknown-bank": "no bank has the sending bank's code",
  "not-found-upstream": "the bank knows no such transfer"
}

const WHY_PICTURE: Readonly<Record<ImageUnusable["reason"], string>> = {
  "not-an-image": "what was handed over does not begin like a picture",
  "corrupt": "the picture is broken",
  "too-large": "the picture has too many bytes",
  "too-many-pixels": "the picture has too many pixels"
}

const as = <Code extends FailureMessageCode>(code: Code, why: string, asked: Asked | null = null): Described<Code> => ({
  code,
  message: failureMessages[code],
  why,
  asked
})

/** A verification that ended without a slip. */
export const describeVerification = (failure: VerificationFailure): Described<FailureCode> => {
  switch (failure._tag) {
    case "NoSlip":
      return as("SLIP_NOT_FOUND", WHY[failure.reason])
    case "SlipUnknown":
      return as("SLIP_NOT_FOUND", WHY[failure.reason], failure.asked)
    case "SlipPending":
      return as("SLIP_PENDING", "the bank does not know the transfer yet", failure.asked)
    case "UpstreamUnavailable":
      return as("API_SERVER_ERROR", failure.why, failure.asked)
  }
}

const codeOfUrl = (reason: ImageUrlFailed["reason"]): FailureMessageCode => {
  switch (reason) {
    case "protocol":
      return "URL_PROTOCOL_NOT_ALLOWED"
    case "not-public":
      return "URL_INVALID_IP_RANGE"
    case "too-large":
      return "IMAGE_SIZE_TOO_LARGE"
    default:
      return "IMAGE_URL_UNREACHABLE"
  }
}

const codeOfPicture = ({ fromUrl, reason }: ImageUnusable): FailureMessageCode => {
  if (reason === "too-large") return "IMAGE_SIZE_TOO_LARGE"
  return fromUrl && reason === "not-an-image" ? "INVALID_IMAGE_TYPE" : "INVALID_IMAGE_FORMAT"
}

/** A picture that was not looked at. */
export const describePicture = (failure: PictureFailure): Described<FailureMessageCode> => {
  switch (failure._tag) {
    case "ImageUrlFailed":
      return as(codeOfUrl(failure.reason), `the picture could not be fetched: ${failure.detail}`)
    case "ImageUnusable":
      return as(codeOfPicture(failure), WHY_PICTURE[failure.reason])
    case "ReaderUnavailable":
      return as("API_SERVER_ERROR", `the reader of pictures is ${failure.reason}`)
  }
}

const isPicture = (failure: VerificationFailure | PictureFailure): failure is PictureFailure =>
  failure._tag === "ImageUrlFailed" || failure._tag === "ImageUnusable" || failure._tag === "ReaderUnavailable"

/** Whichever of the two it is. */
export const describeFailure = (failure: VerificationFailure | PictureFailure): Described<FailureMessageCode> =>
  isPicture(failure) ? describePicture(failure) : describeVerification(failure)
