import { assert, describe, it } from "@effect/vitest"
import sharp from "sharp"
import { prepareZXingModule } from "zxing-wasm/reader"
import { MAX_MEMORY, readQrTextsOfFile } from "../../../../infrastructure/adapters/pictures/zxing.ts"
import { fixtures, readFixture } from "./fixtures.ts"
import * as Forged from "./forged.ts"

const MEBIBYTE = 1_048_576

/** The memory that the module has allocated. It never shrinks. */
const allocatedBytes = async (): Promise<number> => {
  const memory: unknown = Reflect.get(await prepareZXingModule({ fireImmediately: true }), "HEAPU8")
  return memory instanceof Uint8Array ? memory.byteLength : Number.NaN
}

const SLIP = "png-palette-00.png"
const slip = fixtures.find(({ file }) => file === SLIP)

describe("zxing", () => {
  it("decodes a picture of 25 megapixels with alpha within the memory limit", async () => {
    const empty = sharp({ create: { width: 5_000, height: 5_000, channels: 4, background: "#8cf8" } })
    const file = await empty.png({ compressionLevel: 1 }).toBuffer()
    assert.deepStrictEqual(await readQrTextsOfFile(file), [])
    assert.isAtMost(await allocatedBytes(), MAX_MEMORY)
  })

  it("refuses a PNG that inflates to gigabytes, within the memory limit, and reads the next picture", async () => {
    const file = Forged.png(8, 8, Forged.zeros(3_500))
    assert.isAtMost(file.length, 4 * MEBIBYTE)
    const failure = await readQrTextsOfFile(file).catch((cause: unknown) => cause)
    assert.propertyVal(failure, "reason", "corrupt")
    assert.isAtMost(await allocatedBytes(), MAX_MEMORY)
    assert.strictEqual((await readQrTextsOfFile(readFixture(SLIP))).join(), slip?.expected)
  })
})
