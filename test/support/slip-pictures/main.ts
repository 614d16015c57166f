/** Draws the pictures of test/fixtures/reduced-slips: `node test/support/slip-pictures/main.ts`. */
import { writeFile } from "node:fs/promises"
import sharp, { type Sharp } from "sharp"
import { encodeSlipPayload } from "../../../domain/slip/payload.ts"
import { encodeAs, type Level } from "./code.ts"
import { drawSlip, photoGround } from "./draw.ts"

interface Item {
  readonly file: string
  readonly class: string
  readonly format: string
  readonly width: number
  readonly height: number
  readonly expected: string | null
  /** Pixels of a module. */
  readonly modulePx: number
}

const folder = new URL("../../fixtures/reduced-slips/", import.meta.url)
const items: Array<Item> = []

const BAY = encodeSlipPayload("025", "KSA00000042179f3c1e07ab52")

/** The codes of the ladder: those of real slips, from the largest modules to the smallest. */
const ladder = [
  { version: 3, level: "L", text: encodeSlipPayload("011", "261121091543004217") },
  { version: 3, level: "M", text: encodeSlipPayload("004", "016325091543AOR01234") },
  { version: 4, level: "M", text: encodeSlipPayload("014", "2026112109154300012345678") },
  { version: 5, level: "M", text: encodeSlipPayload("014", "2026112110220700087654321") },
  { version: 6, level: "Q", text: BAY },
  { version: 4, level: "H", text: encodeSlipPayload("002", "2026112109154300042173388") }
] as const satisfies ReadonlyArray<{ readonly version: number; readonly level: Level; readonly text: string }>

const steps = [2, 1.75, 1.5, 1.4, 1.3, 1.2]

const save = async (name: string, kind: string, expected: string | null, modulePx: number, image: Sharp) => {
  const { data, info } = await image.jpeg({ quality: 60 }).toBuffer({ resolveWithObject: true })
  const file = `${name}.jpg`
  await writeFile(new URL(file, folder), data)
  const { height, width } = info
  items.push({ file, class: kind, format: "jpeg", width, height, expected, modulePx })
}

/** A picture that passed through two apps: each made it smaller and compressed it again. */
const sentOn = async (slip: Uint8Array, width: number): Promise<Sharp> => {
  const { width: from } = await sharp(slip).metadata()
  const once = Math.round(Math.sqrt(from * width))
  const between = await sharp(slip).resize({ width: once, kernel: "cubic" }).jpeg({ quality: 60 }).toBuffer()
  return sharp(between).resize({ width, kernel: "cubic" })
}

for (const { level, text, version } of ladder) {
  const code = await encodeAs(text, version, level)
  const slip = await drawSlip({ width: 828, height: 1472, code, module: 8 })
  for (const step of steps) {
    const width = Math.round((828 * step) / 8)
    await save(`v${version}${level}-${step.toFixed(2)}`.toLowerCase(), "reduced", text, step, await sentOn(slip, width))
  }
}

const long = await encodeAs(BAY, 6, "Q")
const saved = await drawSlip({ width: 1080, height: 2750, code: long, module: 5.5, at: [790, 2280] })
await save("saved-640-high", "reduced", BAY, 1.28, await sentOn(saved, 251))

const kplus = encodeSlipPayload("004", "016325091543AOR01234")
const small = await encodeAs(kplus, 3, "M")
const faint = await drawSlip({ width: 840, height: 1160, code: small, module: 6, paper: "#b2ada1", ink: "#736e64" })
const turned = await sharp(faint).rotate(-6, { background: "#00000000" }).resize({ width: 234 }).toBuffer()
const table = photoGround(480, 640, 7)
const onTable = sharp(table, { raw: { width: 480, height: 640, channels: 1 } })
  .toColourspace("srgb")
  .composite([{ input: turned, left: 120, top: 150 }])
await save("turned-faint-photo", "reduced", kplus, 1.5, onTable)

for (const share of [0.75, 0.8]) {
  const slip = await drawSlip({ width: 720, height: 1280, code: small, module: 8, at: [440, 1000] })
  const height = Math.round(1000 + 29 * 8 * share)
  const cut = sharp(slip).extract({ left: 0, top: 0, width: 720, height })
  await save(`neg-cut-${share * 100}`, "neg-cut", null, 8, cut)
}

const strokes = [
  `<g fill="none" stroke="#1e3a8a" stroke-width="16" stroke-linecap="round">`,
  `<path d="M430 1010C520 1100 560 1000 680 1230"/><path d="M430 1225C500 1090 600 1150 680 1000"/>`,
  `<path d="M425 1110C520 1080 600 1150 690 1100"/><path d="M560 990C540 1080 590 1150 550 1240"/></g>`
].join("")
const underPen = await drawSlip({ width: 720, height: 1280, code: small, module: 8, at: [440, 1000], over: strokes })
await save("neg-under-pen", "neg-under-pen", null, 8, sharp(underPen))

const manifest = {
  about:
    "Slips as customers send them: reduced to few pixels a module, turned, cut, or written upon. Drawn by test/support/slip-pictures/main.ts.",
  items
}
await writeFile(new URL("manifest.json", folder), `${JSON.stringify(manifest, null, 2)}\n`)
