import sharp from "sharp"
import { drawTextWith, loadTypeface } from "../../../infrastructure/adapters/banks/sandbox/svg-text.ts"
import type { QrModules } from "../../../infrastructure/platform/qr-code.ts"
import { numbersFrom } from "../random.ts"
import { darkModules } from "./code.ts"

/** A slip to draw, before it is reduced or damaged. Sizes are in pixels. */
export interface Drawing {
  readonly width: number
  readonly height: number
  readonly code: QrModules
  readonly module: number
  /** Where the code begins; by default at the lower right, with its quiet zone. */
  readonly at?: readonly [left: number, top: number]
  readonly paper?: string
  readonly ink?: string
  /** SVG over the finished slip, such as the strokes of a pen. */
  readonly over?: string
}

/** Draws a slip as saved by an app: a header, lines of text, and the code. Returns a PNG. */
export const drawSlip = async (drawing: Drawing): Promise<Uint8Array> => {
  const { code, height, ink = "#111827", module, over = "", paper = "#ffffff", width } = drawing
  const size = code.length * module
  const [left, top] = drawing.at ?? [width - size - 5 * module, height - size - 6 * module]
  const text = drawTextWith(await loadTypeface())
  const lines = [
    "โอนเงินสำเร็จ",
    "21 พ.ย. 2569 09:15 น.",
    "จาก นาย ทดสอบ ระบบ",
    "xxx-x-x4217-x",
    "ไปยัง ร้าน ตัวอย่าง",
    "xxx-x-x1188-x",
    "จำนวนเงิน 1,500.00 บาท"
  ]
  const step = Math.floor((top - 60) / (lines.length + 1))
  const size0 = Math.min(56, Math.floor(step * 0.6))
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">`,
    `<rect width="${width}" height="${height}" fill="${paper}"/>`,
    `<rect width="${width}" height="${Math.floor(step * 0.4)}" fill="#1d4ed8"/>`,
    ...lines.map((line, index) =>
      text(line, width * 0.07, 30 + (index + 1) * step, { size: size0, fill: ink, maxWidth: width * 0.8 })
    ),
    `<path fill="${ink}" shape-rendering="crispEdges" d="${darkModules(code, left, top, module)}"/>`,
    over,
    "</svg>"
  ].join("")
  return sharp(Buffer.from(svg)).png().toBuffer()
}

/**
 * A ground like a photograph: light and shadow, texture at several sizes, and the noise of a sensor. Returns grey
 * pixels. The same seed gives the same pixels.
 */
export const photoGround = (width: number, height: number, seed: number): Uint8Array => {
  const random = numbersFrom(seed)
  const pixels = new Float32Array(width * height).fill(128)
  for (const [cell, strength] of [[300, 60], [60, 35], [12, 45], [4, 30]] as const) {
    const across = Math.ceil(width / cell) + 2
    const values = Float32Array.from(
      { length: across * (Math.ceil(height / cell) + 2) },
      () => (random() - 0.5) * 2 * strength
    )
    for (let y = 0, at = 0; y < height; y++) {
      const row = Math.floor(y / cell)
      const down = (y % cell) / cell
      for (let x = 0; x < width; x++, at++) {
        const column = Math.floor(x / cell)
        const right = (x % cell) / cell
        const from = row * across + column
        const above = (values[from] ?? 0) * (1 - right) + (values[from + 1] ?? 0) * right
        const below = (values[from + across] ?? 0) * (1 - right) + (values[from + across + 1] ?? 0) * right
        pixels[at] = (pixels[at] ?? 0) + above * (1 - down) + below * down
      }
    }
  }
  return Uint8Array.from(pixels, (value) => Math.max(0, Math.min(255, value + (random() - 0.5) * 16)))
}
