import sharp, { type Sharp } from "sharp"
import { encodeSlipPayload } from "../../../domain/slip/payload.ts"
import { encodeWalletPayload } from "../../../domain/slip/wallet-payload.ts"
import { encodeQr } from "../../../infrastructure/platform/qr-code.ts"
import { drawSlip, photoGround } from "./draw.ts"

/** The texts of two slips of banks, and of one of TrueMoney. */
export const slipTexts = [
  encodeSlipPayload("004", "016325091543AOR01234"),
  encodeSlipPayload("014", "2026112109154300012345678"),
  encodeWalletPayload("50000000000001", "P2P", "2026-11-21")
] as const

const WIDTH = 540
const HEIGHT = 800

/** One picture of the slips with these texts, side by side or one below the other. */
export const drawTogether = async (
  texts: ReadonlyArray<string>,
  direction: "across" | "down"
): Promise<Uint8Array> => {
  const slips = await Promise.all(
    texts.map(async (text) => drawSlip({ width: WIDTH, height: HEIGHT, code: await encodeQr(text), module: 5 }))
  )
  const isAcross = direction === "across"
  const width = isAcross ? WIDTH * slips.length : WIDTH
  const height = isAcross ? HEIGHT : HEIGHT * slips.length
  return sharp({ create: { width, height, channels: 3, background: "#ffffff" } })
    .composite(slips.map((input, index) => ({
      input: Buffer.from(input),
      left: isAcross ? index * WIDTH : 0,
      top: isAcross ? 0 : index * HEIGHT
    })))
    .jpeg({ quality: 80 })
    .toBuffer()
}

/** A picture like a photograph, without a code. */
export const drawPhoto = (width: number, height: number): Sharp =>
  sharp(photoGround(width, height, width), { raw: { width, height, channels: 1 } })
