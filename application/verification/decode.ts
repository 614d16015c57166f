import { Clock, Effect } from "effect"
import { slipTime } from "../../domain/time.ts"
import { type QrReading, readQr } from "../../domain/slip/qr-kind.ts"
import { transferTimeHint } from "../../domain/slip/transfer-time.ts"
import { NoSlip, readImage, type SlipSource } from "./slip-source.ts"

/** A QR text with hints from its reference. `transferredAt` is ISO 8601 with the offset +07:00. */
export interface Decoded extends QrReading {
  readonly hints: { readonly transferredAt?: string }
}

const withHints = Effect.fnUntraced(function* (reading: QrReading) {
  const { sendingBank, transRef } = reading
  const now = yield* Clock.currentTimeMillis
  const time = sendingBank === null || transRef === null ? undefined : transferTimeHint(sendingBank, transRef, now)
  const decoded: Decoded = { ...reading, hints: time === undefined ? {} : { transferredAt: slipTime(time) } }
  return decoded
})

/**
 * Decodes a payload or a picture without asking a bank (docs/spec/http.md, "Offline look at a payload"). Of several QR
 * codes it returns the slip; without a slip, the first. A picture without a QR code fails with `NoSlip`.
 */
export const decode = Effect.fnUntraced(function* (source: SlipSource) {
  if (source._tag === "Payload") return yield* withHints(readQr(source.text))
  const { slip, texts } = yield* readImage(source)
  const text = slip?.text ?? texts[0]
  if (text === undefined) return yield* new NoSlip({ reason: "no-qr" })
  const reading = readQr(text)
  return yield* withHints(slip === undefined ? reading : { ...reading, crc: slip.crc })
})
