import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { prepareZXingModule, writeBarcode } from "zxing-wasm/writer"
import type { QrModules } from "../../../infrastructure/platform/qr-code.ts"

/** The error correction of a QR code, weakest first. */
export type Level = "L" | "M" | "Q" | "H"

/** Encodes a text as a QR code of this version and level, as a bank's app does. */
export const encodeAs = async (text: string, version: number, level: Level): Promise<QrModules> => {
  const file = createRequire(import.meta.url).resolve("zxing-wasm/writer/zxing_writer.wasm")
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(await readFile(file)).buffer } })
  const options = `ecLevel=${level},version=${version}`
  const { error, symbol } = await writeBarcode(text, { format: "QRCode", addQuietZones: false, options })
  if (error !== "" || symbol.width !== 17 + 4 * version) {
    throw new Error(`"${text}" does not fit a code of version ${version}-${level}: ${error}`)
  }
  return Array.from(
    { length: symbol.height },
    (_, row) => Array.from({ length: symbol.width }, (_, column) => symbol.data[row * symbol.width + column] === 0)
  )
}

/** The dark modules as SVG path data; `module` is the size of one in pixels. */
export const darkModules = (modules: QrModules, left: number, top: number, module: number): string =>
  modules.flatMap((row, down) =>
    row.flatMap((isDark, across) =>
      isDark ? [`M${left + across * module} ${top + down * module}h${module}v${module}h-${module}z`] : []
    )
  ).join("")
