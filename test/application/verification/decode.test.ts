import { assert, describe, it } from "../../support/it.ts"
import { Effect, Layer } from "effect"
import { Egress } from "../../../ports/egress.ts"
import { SlipReader, SlipReaderError, type SlipReading } from "../../../ports/slip-reader.ts"
import { decode, type DecodedText } from "../../../application/verification/slip-source.ts"
import { encodeSlipPayload } from "../../../domain/slip/payload.ts"
import { qrSlipsOf } from "../../../domain/slip/qr-slips.ts"
import { encodeWalletPayload } from "../../../domain/slip/wallet-payload.ts"

const test = it.effect.with(() => noReader)

const slip = encodeSlipPayload("002", "2026112115450000000000001")
const picture = { _tag: "Image", bytes: new Uint8Array(1) } as const

const withReader = (read: SlipReader["Service"]["read"]) =>
  Layer.mergeAll(Layer.mock(SlipReader, { read }), Layer.mock(Egress, {}))

const noReader = withReader(() => Effect.die("a picture must not be read"))

const readingOf = (texts: ReadonlyArray<string>): SlipReading => {
  return { format: "png", width: 1, height: 1, slips: qrSlipsOf(texts), texts, tookMillis: 1 }
}

describe("decoding a slip without a bank", () => {
  test("returns the fields of a slip's QR code, and the time of the transfer when the bank's reference has it", function* () {
    const fields: DecodedText = {
      kind: "slip",
      payload: slip,
      sendingBank: "002",
      transRef: "2026112115450000000000001",
      crc: "ok",
      hints: { transferredAt: "2026-11-21T15:45:00+07:00" }
    }
    const decoded = yield* decode({ _tag: "Payload", text: slip }, "branch-1")
    assert.deepStrictEqual(decoded, { ...fields, slips: [fields] })
  })

  test("succeeds for a payload that is not a slip", function* () {
    const decoded = yield* decode({ _tag: "Payload", text: "hello" }, "branch-1")
    assert.deepInclude(decoded, {
      kind: "other",
      payload: "hello",
      sendingBank: null,
      transRef: null,
      hints: {},
      slips: []
    })
  })

  it.effect("uses the slip among several QR codes of a picture, and the first code when there is no slip", function* () {
    const withSlip = yield* decode(picture, "branch-1").pipe(
      Effect.provide(withReader(() => Effect.succeed(readingOf(["https://advertisement.test", slip]))))
    )
    assert.deepInclude(withSlip, { kind: "slip", payload: slip })
    const without = yield* decode(picture, "branch-1").pipe(
      Effect.provide(withReader(() => Effect.succeed(readingOf(["https://one.test", "https://two.test"]))))
    )
    assert.deepInclude(without, { kind: "other", payload: "https://one.test" })
  })

  it.effect("lists every slip of a picture once, of banks and of TrueMoney", function* () {
    const wallet = encodeWalletPayload("50000000000001", "P2P", "2026-11-21")
    const other = encodeSlipPayload("014", "2026112109154300012345678")
    const texts = ["https://advertisement.test", wallet, slip, other, slip]
    const decoded = yield* decode(picture, "branch-1").pipe(
      Effect.provide(withReader(() => Effect.succeed(readingOf(texts))))
    )
    assert.deepInclude(decoded, { kind: "slip", payload: slip })
    assert.deepStrictEqual(decoded.slips.map(({ kind, payload }) => [kind, payload]), [
      ["truemoney", wallet],
      ["slip", slip],
      ["slip", other]
    ])
  })

  it.effect("distinguishes a picture without a QR code from a file that can't be read", function* () {
    const empty = yield* Effect.flip(
      decode(picture, "branch-1").pipe(Effect.provide(withReader(() => Effect.succeed(readingOf([])))))
    )
    assert.deepInclude({ ...empty }, { _tag: "NoSlip", reason: "no-qr" })
    const broken = yield* Effect.flip(
      decode(picture, "branch-1").pipe(
        Effect.provide(withReader(() => Effect.fail(new SlipReaderError({ reason: "corrupt" }))))
      )
    )
    assert.deepInclude({ ...broken }, { _tag: "ImageUnusable", reason: "corrupt", fromUrl: false })
  })
})
