import { assert, beforeAll, describe } from "@effect/vitest"
import { Effect } from "effect"
import jsQR from "jsqr"
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import sharp from "sharp"
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader"
import { satang } from "../../../../../domain/money.ts"
import { encodeSlipPayload } from "../../../../../domain/slip/payload.ts"
import { receivers } from "../../../../../infrastructure/adapters/banks/sandbox/receivers.ts"
import {
  makeSandboxSlip,
  outcomes,
  type SandboxSlip,
  type SandboxSlipOptions
} from "../../../../../infrastructure/adapters/banks/sandbox/sandbox-slip.ts"
import { drawSandboxSlip } from "../../../../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { it } from "../../../../support/it.ts"

const slip = (options: Partial<SandboxSlipOptions> = {}): SandboxSlip =>
  makeSandboxSlip({
    amount: satang(1_234_567_89),
    bank: "004",
    receiver: 0,
    outcome: "found",
    at: Date.parse("2026-11-21T15:45:00+07:00"),
    nonce: "ABC123",
    ...options
  })

const qrTexts = async (picture: Uint8Array): Promise<ReadonlyArray<string>> =>
  (await readBarcodes(picture, { formats: ["QRCode"] })).map(({ text }) => text)

describe("the picture of a sandbox slip", () => {
  beforeAll(async () => {
    const file = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm")
    prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(await readFile(file)).buffer } })
  })

  it.effect.each(
    receivers.map(({ index: receiver, shape }) => ({
      receiver,
      shape,
      outcome: outcomes[receiver % outcomes.length] ?? "found",
      format: receiver % 2 === 0 ? "png" as const : "jpeg" as const
    }))
  )("contains the payload in its QR code, as $format: $outcome, to $shape", function* ({ format, outcome, receiver }) {
    const made = slip({ receiver, outcome })
    const picture = yield* drawSandboxSlip(made, { format })
    const { height, width, ...header } = yield* Effect.promise(() => sharp(picture).metadata())
    assert.deepStrictEqual([header.format, width, height], [format, 1080, 1500])
    assert.deepStrictEqual(yield* Effect.promise(() => qrTexts(picture)), [made.payload])
  })

  it.effect("has the same bytes each time it is drawn", function* () {
    const first = yield* drawSandboxSlip(slip())
    const second = yield* drawSandboxSlip(slip())

    assert.deepStrictEqual(second, first)
  })

  it.effect("is readable by another QR decoder at half its size", function* () {
    const made = slip({ receiver: 6 })
    const picture = yield* drawSandboxSlip(made)
    const { data, info } = yield* Effect.promise(() =>
      sharp(picture).resize(540).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
    )

    assert.strictEqual(jsQR.default(new Uint8ClampedArray(data), info.width, info.height)?.data, made.payload)
  })

  it.effect.each([
    { title: "a QR text that is not a slip", payload: "00020101021129370016A000000677010111" },
    { title: "a slip of another bank", payload: encodeSlipPayload("004", "016325154500APP00001") }
  ])("is not drawn for $title", function* ({ payload }) {
    const error = yield* Effect.flip(drawSandboxSlip({ payload }))

    assert.strictEqual(error.reason, "not-a-sandbox-slip")
    assert.include(error.message, payload)
  })

  it("needs no font of the machine and no font configuration, and writes nothing to stderr", async () => {
    const script = fileURLToPath(new URL("./draw-one.ts", import.meta.url))
    const run = "Deno" in globalThis ? ["run", "-A", script] : [script]
    const env = { ...process.env, FONTCONFIG_FILE: "/nonexistent/fonts.conf", NODE_OPTIONS: "", NODE_NO_WARNINGS: "1" }

    const { stderr, stdout } = await promisify(execFile)(process.execPath, [...run, slip().payload], { env })

    assert.strictEqual(stderr, "")
    const picture = new Uint8Array(Buffer.from(stdout, "base64"))
    assert.deepStrictEqual(picture, await Effect.runPromise(drawSandboxSlip(slip())))
  })
})
