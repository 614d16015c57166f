import { type EndCode, type FailureCode, failureMessages } from "../../domain/failed-verification.ts"
import type { CallerError } from "../views/failure.ts"
import type { GatewayCall, SlipPending, SlipUnknown, UpstreamUnavailable } from "./ask-bank.ts"
import type {
  ImageUnusable,
  ImageUrlFailed,
  NoSlip,
  ReaderUnavailable,
  SeveralSlips,
  SlipKind,
  WrongSlipKind
} from "./slip-source.ts"

/** The verification ended without a slip, which the log records. */
export type VerificationFailure =
  | NoSlip
  | WrongSlipKind
  | SeveralSlips
  | SlipUnknown
  | SlipPending
  | UpstreamUnavailable

/** The picture was not read, so it is unknown whether it shows a slip. */
export type PictureFailure = ImageUrlFailed | ImageUnusable | ReaderUnavailable

/** A failure with the values for the log, the caller and the job process. */
export interface FailureDescription<Code extends EndCode> {
  /** As the log has it: that of the caller, except for a slip of another kind. */
  readonly code: Code
  readonly error: CallerError
  /** For the trail: the step that failed, and the reason. */
  readonly why: string
  /** Null when no bank was asked. */
  readonly asked: GatewayCall | null
  /** The shortest delay before a job tries again; null when a job ends with this failure. */
  readonly retryAfterSeconds: number | null
  /** How long the slip may still be pending: a job tries once more after this time. Null when it is not pending. */
  readonly pendingSeconds: number | null
}

/** The stored fields of `GatewayCall` when no bank was asked. */
export const NOT_ASKED = { gateway: null, gatewayMillis: null, upstream: null, askedBefore: [] } as const

/** A failure is none of them: its own `message` is empty. */
interface FailureOptions {
  readonly error?: CallerError
  readonly asked?: GatewayCall | null
  readonly retryAfterSeconds?: number | null
  readonly pendingSeconds?: number | null
}

const describe = <Code extends EndCode>(
  code: Code,
  why: string,
  { asked = null, error = callerError(code), pendingSeconds = null, retryAfterSeconds = null }: FailureOptions = {}
): FailureDescription<Code> => ({
  code,
  error,
  why,
  asked,
  retryAfterSeconds,
  pendingSeconds
})

/** The retry schedule alone decides when a job tries again. */
const BY_SCHEDULE = 0

const noSlipReasons: Readonly<Record<NoSlip["reason"] | SlipUnknown["reason"], string>> = {
  "too-long": "the QR text is longer than any slip's",
  "broken-tlv": "the QR text is broken",
  "wrong-crc": "the checksum of the QR text is wrong",
  "not-a-slip": "the QR text is not from a bank slip",
  "no-qr": "there is no QR code in the picture",
  "no-slip-qr": "no QR code in the picture is from a bank slip",
  "no-wallet-qr": "no QR code in the picture is from a TrueMoney slip",
  "unknown-bank": "no bank has the sending bank's code",
  "not-found-upstream": "the bank knows no such transfer",
  "too-old": "the transfer is older than the records of the gateways, so no gateway can confirm or deny it"
}

const wrongKinds: Readonly<Record<SlipKind, { readonly message: string; readonly why: string }>> = {
  truemoney: {
    message: "This is a TrueMoney slip. Send its picture to POST /v2/verify/truewallet",
    why: "the slip is from the TrueMoney wallet, and a bank slip was requested"
  },
  bank: {
    message: "This is the slip of a bank. Send it to POST /v2/verify/bank",
    why: "the slip is from a bank, and a TrueMoney slip was requested"
  }
}

/**
 * The error of a code. `found` is the kind of a slip that came to the other kind's endpoint. On a bank endpoint a
 * TrueMoney slip is not found; the TrueMoney endpoint has a code for the slip of a bank.
 */
export const callerError = (code: EndCode, found?: SlipKind): CallerError => {
  if (found === "bank") return { code, message: wrongKinds.bank.message }
  const answered = found === "truemoney" ? "SLIP_NOT_FOUND" : code
  return {
    code: answered,
    message: failureMessages[answered],
    ...(found === undefined ? {} : { detail: wrongKinds[found].message })
  }
}

export const describeVerification = (
  failure: VerificationFailure
): FailureDescription<FailureCode | "WRONG_SLIP_KIND" | "SEVERAL_SLIPS"> => {
  switch (failure._tag) {
    case "NoSlip":
      return describe("SLIP_NOT_FOUND", noSlipReasons[failure.reason])
    case "WrongSlipKind": {
      const error = callerError("WRONG_SLIP_KIND", failure.found)
      return describe("WRONG_SLIP_KIND", wrongKinds[failure.found].why, { error })
    }
    case "SeveralSlips":
      return describe("SEVERAL_SLIPS", "the picture shows more than one slip, so it does not say which one is meant")
    case "SlipUnknown":
      return describe("SLIP_NOT_FOUND", noSlipReasons[failure.reason], { asked: failure.asked })
    case "SlipPending":
      return describe("SLIP_PENDING", "the bank does not know the transfer yet", {
        asked: failure.asked,
        retryAfterSeconds: BY_SCHEDULE,
        pendingSeconds: failure.retryAfterSeconds
      })
    case "UpstreamUnavailable":
      return describe("API_SERVER_ERROR", failure.why, { asked: failure.asked, retryAfterSeconds: BY_SCHEDULE })
  }
}

/** A job retries a server that may recover. A refused URL stays refused, so it ends the job. */
const urlFailures = {
  "invalid-url": { code: "IMAGE_URL_UNREACHABLE", retryAfterSeconds: null },
  "protocol": { code: "URL_PROTOCOL_NOT_ALLOWED", retryAfterSeconds: null },
  "not-public": { code: "URL_INVALID_IP_RANGE", retryAfterSeconds: null },
  "too-large": { code: "IMAGE_SIZE_TOO_LARGE", retryAfterSeconds: null },
  "too-many-redirects": { code: "IMAGE_URL_UNREACHABLE", retryAfterSeconds: null },
  "unresolvable": { code: "IMAGE_URL_UNREACHABLE", retryAfterSeconds: BY_SCHEDULE },
  "busy": { code: "IMAGE_URL_UNREACHABLE", retryAfterSeconds: BY_SCHEDULE },
  "unreachable": { code: "IMAGE_URL_UNREACHABLE", retryAfterSeconds: BY_SCHEDULE },
  "timeout": { code: "IMAGE_URL_UNREACHABLE", retryAfterSeconds: BY_SCHEDULE },
  "bad-status": { code: "IMAGE_URL_UNREACHABLE", retryAfterSeconds: BY_SCHEDULE }
} as const satisfies Readonly<Record<ImageUrlFailed["reason"], FailureOptions & { readonly code: EndCode }>>

const imageFailures = {
  "not-an-image": { code: "INVALID_IMAGE_FORMAT", why: "the file does not begin with the bytes of a picture format" },
  "corrupt": { code: "INVALID_IMAGE_FORMAT", why: "the picture is broken" },
  "too-large": { code: "IMAGE_SIZE_TOO_LARGE", why: "the picture has too many bytes" },
  "too-many-pixels": {
    code: "INVALID_IMAGE_FORMAT",
    why: "the picture has too many pixels: at most 25 megapixels and 16 384 pixels on a side, and less for some formats"
  }
} as const satisfies Readonly<
  Record<ImageUnusable["reason"], { readonly code: EndCode; readonly why: string }>
>

const readerFailures: Readonly<Record<ReaderUnavailable["reason"], string>> = {
  "busy": "the slip reader is busy",
  "branch-busy": "the slip reader is busy with other pictures of the branch",
  "over-budget": "the branch has used up its time of the slip reader",
  "deadline": "the picture could not be read in time",
  "unavailable": "the slip reader is unavailable"
}

/** The code of a picture at a URL that could not be fetched. */
export const imageUrlCode = (reason: ImageUrlFailed["reason"]) => urlFailures[reason].code

const whyOf = ({ reason, why = imageFailures[reason].why }: ImageUnusable): string => why

/**
 * The error of an unusable picture in the request itself. INVALID_IMAGE_FORMAT has an issue that says why, at the field of
 * the request.
 */
export const pictureError = (failure: ImageUnusable) => {
  const { fromUrl, reason } = failure
  const { field: path = fromUrl ? "url" : "" } = failure
  const { code } = imageFailures[reason]
  const why = whyOf(failure)
  const message = why.charAt(0).toUpperCase() + why.slice(1)
  return {
    code,
    message: failureMessages[code],
    ...(code === "INVALID_IMAGE_FORMAT" ? { issues: [{ path, message }] } : {})
  }
}

/** The same for every picture: at a URL, a file of another kind has a code of its own. */
export const imageUnusableError = (failure: ImageUnusable) => {
  if (!failure.fromUrl || failure.reason !== "not-an-image") return pictureError(failure)
  const code = "INVALID_IMAGE_TYPE"
  return { code, message: failureMessages[code] } as const
}

const describePicture = (failure: PictureFailure): FailureDescription<EndCode> => {
  switch (failure._tag) {
    case "ImageUrlFailed": {
      const { code, ...options } = urlFailures[failure.reason]
      return describe(code, `the picture could not be fetched: ${failure.detail}`, options)
    }
    case "ImageUnusable": {
      const error = imageUnusableError(failure)
      return describe(error.code, whyOf(failure), { error })
    }
    case "ReaderUnavailable":
      return describe("API_SERVER_ERROR", readerFailures[failure.reason], {
        retryAfterSeconds: failure.retryAfterSeconds ?? BY_SCHEDULE
      })
  }
}

const isPicture = (failure: VerificationFailure | PictureFailure): failure is PictureFailure =>
  failure._tag === "ImageUrlFailed" || failure._tag === "ImageUnusable" || failure._tag === "ReaderUnavailable"

export const describeFailure = (
  failure: VerificationFailure | PictureFailure
): FailureDescription<EndCode> => isPicture(failure) ? describePicture(failure) : describeVerification(failure)
