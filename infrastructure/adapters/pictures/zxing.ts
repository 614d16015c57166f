import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { prepareZXingModule, readBarcodes, type ReaderOptions } from "zxing-wasm/reader"
import type { Grey } from "./grey.ts"
import { Undecodable } from "./reading.ts"

/**
 * Most memory of the module in bytes, its code and stack included. Decoding a picture of `MAX_IMAGE_PIXELS` takes up
 * to 202 MiB. Without the limit a PNG of 4 MB that inflates to gigabytes takes 2 GiB.
 */
export const MAX_MEMORY = 256 * 1_048_576

/** `tryDownscale` adds a pass at half size, which reads coarse and noisy codes. */
const options: ReaderOptions = {
  formats: ["QRCode"],
  tryHarder: true,
  tryRotate: true,
  tryInvert: true,
  tryDownscale: true,
  downscaleFactor: 2,
  downscaleThreshold: 300,
  textMode: "Plain"
}

/** The texts of all QR codes in a picture: in any orientation, mirrored, and light on dark too. */
export const readQrTexts = ({ data, height, width }: Grey): Promise<ReadonlyArray<string>> => {
  // PGM has one byte a pixel. As RGBA the same pixels take four, and the module converts them to grey again.
  const head = new TextEncoder().encode(`P5\n${width} ${height}\n255\n`)
  const pgm = new Uint8Array(head.length + data.length)
  pgm.set(head)
  pgm.set(data, head.length)
  return readQrTextsOfFile(pgm)
}

/** The same for a JPEG, PNG, GIF or PGM file, which the module decodes itself. Fails with `Undecodable`. */
export const readQrTextsOfFile = async (file: Uint8Array): Promise<ReadonlyArray<string>> => {
  await (ready ??= prepare())
  const codes = await readBarcodes(file, options)
  const failure = codes.find((code) => !code.isValid)
  if (failure !== undefined) throw new Undecodable("corrupt", failure.error)
  return codes.map((code) => code.text)
}

let ready: Promise<unknown> | undefined

/** Loads the module from the package. By default the library downloads it. */
const prepare = async (): Promise<unknown> => {
  const binary = await readFile(createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm"))
  const compiled = await WebAssembly.compile(Uint8Array.from(binary))
  return prepareZXingModule({
    overrides: {
      instantiateWasm: (imports: WebAssembly.Imports, onInstance: (instance: WebAssembly.Instance) => void) => {
        const instance = new WebAssembly.Instance(compiled, imports)
        Object.values(instance.exports).forEach(limitMemory)
        onInstance(instance)
        return instance.exports
      }
    },
    fireImmediately: true
  })
}

/** Makes the memory refuse to grow beyond the limit. The module's allocator then returns null, as it does at its own limit. */
const limitMemory = (memory: unknown): void => {
  if (!(memory instanceof WebAssembly.Memory)) return
  const grow = memory.grow.bind(memory)
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * 65_536 > MAX_MEMORY) throw new RangeError("memory limit")
    return grow(pages)
  }
}
