import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"

/** The modules of a QR code, row by row; true is dark. */
export type QrModules = ReadonlyArray<ReadonlyArray<boolean>>

/** Encodes a text as a QR code with error correction level M. */
export const encodeQr = async (text: string): Promise<QrModules> => {
  const { prepareZXingModule, writeBarcode } = await import("zxing-wasm/writer")
  const file = createRequire(import.meta.url).resolve("zxing-wasm/writer/zxing_writer.wasm")
  // By default the library downloads its module.
  const wasmBinary = new Uint8Array(await readFile(file)).buffer
  prepareZXingModule({ overrides: { wasmBinary } })
  const { error, symbol } = await writeBarcode(text, { format: "QRCode", addQuietZones: false, options: "ecLevel=M" })
  if (error !== "") throw new Error(`the QR code cannot be encoded: ${error}`)
  return Array.from(
    { length: symbol.height },
    (_, row) => Array.from({ length: symbol.width }, (_, column) => symbol.data[row * symbol.width + column] === 0)
  )
}

/** Light modules around a QR code, which readers need. */
const QUIET = 4

/** A QR code as the source of an image: black on white in every colour scheme. */
export const qrImageSource = (modules: QrModules): string => {
  const size = modules.length + 2 * QUIET
  const dark = modules.flatMap((row, down) =>
    row.flatMap((isDark, across) => isDark ? [`M${across + QUIET} ${down + QUIET}h1v1h-1z`] : [])
  )
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">`
    + `<rect width="${size}" height="${size}" fill="#fff"/><path d="${dark.join("")}"/></svg>`
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`
}
