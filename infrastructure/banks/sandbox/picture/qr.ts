import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"

/** A QR code without its quiet zone: rows of modules, true is dark. */
export type QrModules = ReadonlyArray<ReadonlyArray<boolean>>

/** Encodes a text as a QR code of error correction level M. */
export const encodeQr = async (text: string): Promise<QrModules> => {
  const { prepareZXingModule, writeBarcode } = await import("zxing-wasm/writer")
  const file = createRequire(import.meta.url).resolve("zxing-wasm/writer/zxing_writer.wasm")
  // By default the library would fetch its module over the network.
  const wasmBinary = new Uint8Array(await readFile(file)).buffer
  prepareZXingModule({ overrides: { wasmBinary } })
  const { error, symbol } = await writeBarcode(text, { format: "QRCode", addQuietZones: false, options: "ecLevel=M" })
  if (error !== "") throw new Error(`the QR code was not made: ${error}`)
  return Array.from(
    { length: symbol.height },
    (_, row) => Array.from({ length: symbol.width }, (_, column) => symbol.data[row * symbol.width + column] === 0)
  )
}
