import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { prepareZXingModule, readBarcodes, type ReaderOptions } from "zxing-wasm/reader"
import type { Grey } from "../grey.ts"

/** The texts of all QR codes that are found, in any orientation, light on dark too. */
export const readQrTexts = async (grey: Grey): Promise<ReadonlyArray<string>> => {
  await (ready ??= prepare())
  const codes = await readBarcodes(asPgm(grey), options)
  return codes.filter((code) => code.isValid).map((code) => code.text)
}

let ready: Promise<void> | undefined

/** Loads the binary from the package: left to itself the library asks a server for it. */
const prepare = async (): Promise<void> => {
  const { buffer } = Uint8Array.from(await readFile(fileURLToPath(import.meta.resolve(BINARY))))
  await prepareZXingModule({ overrides: { wasmBinary: buffer }, fireImmediately: true })
}

const BINARY = "zxing-wasm/reader/zxing_reader.wasm"

const options: ReaderOptions = {
  formats: ["QRCode"],
  tryHarder: true,
  tryRotate: true,
  tryInvert: true,
  tryDownscale: true,
  textMode: "Plain"
}

/** One byte a pixel: a quarter of what the same pixels take as RGBA, which the reader would turn grey again. */
const asPgm = ({ data, height, width }: Grey): Uint8Array => {
  const head = new TextEncoder().encode(`P5\n${width} ${height}\n255\n`)
  const pgm = new Uint8Array(head.length + data.length)
  pgm.set(head)
  pgm.set(data, head.length)
  return pgm
}
