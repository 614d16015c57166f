import { Effect, Result, Schema } from "effect"
import { parseSlipPayload } from "../../../../domain/slip/payload.ts"
import type { Transfer } from "../../../../domain/slip/transfer.ts"
import { parseWalletPayload, TRUEMONEY, walletTransRef } from "../../../../domain/slip/wallet-payload.ts"
import { parseTransRef, type SandboxSlip } from "./sandbox-slip.ts"
import { sandboxTransfer } from "./sandbox-transfer.ts"
import { slipSvg } from "./slip-layout.ts"
import { encodeQr } from "../../../platform/qr-code.ts"
import { drawTextWith, loadTypeface } from "./svg-text.ts"

export type PictureFormat = "png" | "jpeg"

/**
 * No picture was drawn.
 *
 * - `not-a-sandbox-slip`: the payload is not a slip of the sandbox bank
 * - `unavailable`: the image library cannot be loaded on this machine
 * - `failed`: the drawing failed
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
 * Draws the slip of a banking app, 1080 by 1500 pixels, as PNG or JPEG, marked SANDBOX. The picture does not depend on
 * the outcome: a real slip does not show how the bank will answer.
 */
export const drawSandboxSlip = Effect.fn("Sandbox.drawSlip")(function* (
  slip: Pick<SandboxSlip, "payload">,
  options: { readonly format?: PictureFormat } = {}
): Effect.fn.Return<Uint8Array, SlipPictureError> {
  const transfer = transferOf(slip.payload)
  if (transfer === undefined) {
    const detail = `"${slip.payload}" is not a slip of the sandbox bank`
    return yield* new SlipPictureError({ reason: "not-a-sandbox-slip", detail })
  }
  const sharp = yield* loadSharp
  return yield* Effect.tryPromise({
    try: async () => {
      const svg = slipSvg(transfer, await encodeQr(slip.payload), drawTextWith(await loadTypeface()))
      const picture = sharp(Buffer.from(svg)).flatten({ background: "#ffffff" })
      const bytes = options.format === "jpeg"
        ? picture.jpeg({ quality: 92, chromaSubsampling: "4:4:4" })
        : picture.png({ compressionLevel: 9 })
      return new Uint8Array(await bytes.toBuffer())
    },
    catch: (cause) => new SlipPictureError({ reason: "failed", detail: "the slip cannot be drawn", cause })
  })
})

const transferOf = (payload: string): Transfer | undefined => {
  const wallet = parseWalletPayload(payload)
  if (wallet !== undefined) {
    const ref = parseTransRef(wallet.transactionId)
    return ref === undefined ? undefined : sandboxTransfer(ref, TRUEMONEY, walletTransRef(wallet.transactionId))
  }
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
      detail: "the native library of sharp, which draws slips, cannot be loaded (Deno: --allow-ffi)",
      cause
    })
})
