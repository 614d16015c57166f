import { type QrSlip, qrSlipsOf } from "../../../domain/slip/qr-slips.ts"
import { trimQrText } from "../../../domain/slip/qr-text.ts"
import type { ImageHeader, Refusal } from "./header.ts"

// Loaded by the reading threads: imports effect/Result, not effect, which would take 50 MB in each thread.

/** `native` needs sharp; `portable` runs without native code. */
export type ReaderKind = "native" | "portable"

/** What is behind a transparent picture, in the order of the attempts: the brightness of white, and of black. */
export const GROUNDS = [255, 0] as const
export type Ground = (typeof GROUNDS)[number]

/** Longest side of the picture in the first pass. */
export const REDUCED_SIDE = 1600

/**
 * Most pixels of the fine pass. It bounds the time of a picture without a slip by what the picture is, and never by a
 * clock: a verdict must not depend on the speed of the machine.
 */
export const MAX_FINE_PIXELS = 4_000_000

/** Margin in pixels of the fine pass, for codes that were cut off without their quiet zone. */
export const FINE_MARGIN = 80

/** How often the fine pass enlarges a picture. Modules of a pixel need about four. */
export const fineFactor = ({ height, width }: { readonly width: number; readonly height: number }): number =>
  Math.min(4, Math.max(1, Math.sqrt(MAX_FINE_PIXELS / (width * height))))

/** A picture for a reading thread, as it came. Its first bytes are those of a picture. */
export interface UncheckedTask {
  readonly bytes: Uint8Array
  /** The timeout of one call of libvips, in seconds. */
  readonly callSeconds: number
}

/** A picture whose header was checked. */
export interface CheckedPicture {
  /** Holds the first picture of the file only (`decoderFile`). */
  readonly bytes: Uint8Array
  readonly header: ImageHeader
}

/** A picture for a reader. */
export interface ReadTask extends CheckedPicture, UncheckedTask {}

export type ReadOutcome =
  | { readonly _tag: "Read"; readonly picture: PictureSize; readonly findings: Findings }
  | { readonly _tag: "Refused"; readonly reason: Refusal | Undecodable["reason"]; readonly why: string }

export type PictureSize = Pick<ImageHeader, "format" | "width" | "height">

/** The outcome of a task with the CPU time that it took. */
export interface ReadAnswer {
  readonly outcome: ReadOutcome
  readonly cpuMillis: number
  /** Pixels of the picture that a decoder got; 0 when none got it. */
  readonly decodedPixels: number
}

/** The QR codes of a picture, as plain values that can be sent to another thread. */
export interface Findings {
  /** The different slips among the texts. */
  readonly slips: ReadonlyArray<QrSlip>
  readonly texts: ReadonlyArray<string>
}

/** Collects QR texts over several passes. A picture often holds an advertisement's code next to the slip's. */
export interface FindingsCollector {
  /** Returns true when this or an earlier call added the QR text of a slip, of a bank or of TrueMoney. */
  readonly add: (texts: ReadonlyArray<string>) => boolean
  readonly findings: () => Findings
}

export const collectFindings = (): FindingsCollector => {
  const texts: Array<string> = []
  return {
    add: (found) => {
      for (const text of found.map(trimQrText)) {
        if (text === "" || texts.includes(text)) continue
        texts.push(text)
      }
      return qrSlipsOf(texts).length > 0
    },
    findings: () => ({ slips: qrSlipsOf(texts), texts })
  }
}

/** A decoder refuses the bytes, or was stopped at a time limit of its own (`deadline`). Every other error of a reader is a defect of the reader. */
export class Undecodable extends Error {
  override readonly name = "Undecodable"
  readonly reason: "corrupt" | "too-many-pixels" | "deadline"

  constructor(reason: Undecodable["reason"], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** Runs a decoder. Every error of the decoder counts as `corrupt`, except `Undecodable`. */
export const decoding = async <A>(decode: () => A | Promise<A>): Promise<A> => {
  try {
    return await decode()
  } catch (cause) {
    if (cause instanceof Undecodable) throw cause
    throw new Undecodable("corrupt", cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
