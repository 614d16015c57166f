import { Effect, Result, Schema } from "effect"
import { parseSlipPayload } from "../../../domain/slip/payload.ts"
import type { Transfer } from "../../../domain/slip/transfer.ts"
import { slipSvg } from "./picture/layout.ts"
import { encodeQr } from "./picture/qr.ts"
import { setTextWith } from "./picture/svg.ts"
import { loadTypeface } from "./picture/typeface.ts"
import type { SandboxSlip } from "./sandbox-slip.ts"
import { sandboxTransfer } from "./sandbox-transfer.ts"
import { parseTransRef } from "./trans-ref.ts"

export type PictureFormat = "png" | "jpeg"

/**
 * Why no picture was drawn.
 *
 * - `not-a-sandbox-slip`: the payload is no slip, or none of the sandbox bank
 * - `unavailable`: this machine can't load the image library
 * - `failed`: drawing itself went wrong
 */
export class SlipPictureError extends Schema.TaggedError<SlipPictureError>()("SlipPictureError", {
  reason: Schema.Literals(["not-a-sandbox-slip", "unavailable", "failed"]),
  /** For a person. */
  detail: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return this.detail
  }
}

/**
 * Draws the slip as a banking app shows it, 1080 by 1500 pixels, PNG or JPEG, marked SANDBOX. Whatever the outcome,
 * the picture is that of a transfer that took place: a slip never shows what the bank will say.
 */
export const drawSandboxSlip = Effect.fn("Sandbox.drawSlip")(function* (
  slip: Pick<SandboxSlip, "payload">,
  options: { readonly format?: PictureFormat } = {}
): Effect.fn.Return<Uint8Array, SlipPictureError> {
  const transfer = transferOf(slip.payload)
  if (transfer === undefined) {
    const detail = `"${slip.payload}" is no slip of the sandbox bank`
    return yield* new SlipPictureError({ reason: "not-a-sandbox-slip", detail })
  }
  const sharp = yield* loadSharp
  return yield* Effect.tryPromise({
    try: async () => {
      const svg = slipSvg(transfer, await encodeQr(slip.payload), setTextWith(await loadTypeface()))
      const picture = sharp(Buffer.from(svg)).flatten({ background: "#ffffff" })
      const bytes = options.format === "jpeg"
        ? picture.jpeg({ quality: 92, chromaSubsampling: "4:4:4" })
        : picture.png({ compressionLevel: 9 })
      return new Uint8Array(await bytes.toBuffer())
    },
    catch: (cause) => new SlipPictureError({ reason: "failed", detail: "the slip was not drawn", cause })
  })
})

const transferOf = (payload: string): Transfer | undefined => {
  const parsed = parseSlipPayload(payload)
  if (Result.isFailure(parsed)) return undefined
  const { sendingBank, transRef } = parsed.success
  const ref = parseTransRef(transRef)
  return ref === undefined ? undefined : sandboxTransfer(ref, sendingBank, transRef)
}

const loadSharp = Effect.tryPromise({
  try: async () => (await import("sharp")).default,
  catch: (cause) =>
    new SlipPictureError({
      reason: "unavailable",
      detail: "drawing a slip needs sharp, and its native library can't be loaded here (Deno: --allow-ffi)",
      cause
    })
})
