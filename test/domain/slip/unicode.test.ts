import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import { encodeSlipPayload, parseSlipPayload } from "../../../domain/slip/payload.ts"
import { readQr } from "../../../domain/slip/qr-kind.ts"
import { readTlv, tlv } from "../../../domain/slip/tlv.ts"
import { runs } from "../../support/runs.ts"

const CodeUnit = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xffff }))
const noise = Arbitrary.map(
  Arbitrary.array(Arbitrary.schema(CodeUnit), { maxLength: 150 }),
  (units) => String.fromCharCode(...units)
)

/** Pieces of every grammar that the parser reads, so that random texts reach its inner branches. */
const Piece = Schema.Union([
  Schema.Literals(["0041", "0006000001", "0103004", "0220016325120000BPP00000", "5102TH", "9104", "9103", "095A"]),
  Schema.Literals(["0021", "0025", "0102010203P2P", "0314500000000000000", "0408211120269104f7b9", "00020101"]),
  Schema.Literals(["2937", "3037", "0016A000000677010111", "0113006681222333353037645802TH", "6304", "1DCF"]),
  Schema.String
])
const collage = Arbitrary.map(Arbitrary.array(Arbitrary.schema(Piece), { maxLength: 12 }), (pieces) => pieces.join(""))

const isFault = Schema.is(Schema.Literals(["too-long", "broken-tlv", "wrong-crc", "not-a-slip"]))
const options = { arbitrary: { runs: runs(500) } }

describe.each([["noise", noise], ["pieces of QR texts", collage]] as const)("any text: %s", (_, texts) => {
  it.prop("is a slip or is refused with a reason", [texts], ([text]) => {
    const parsed = parseSlipPayload(text)
    if (Result.isFailure(parsed)) assert.isTrue(isFault(parsed.failure))
    else assert.strictEqual(parsed.success.text, encodeSlipPayload(parsed.success.sendingBank, parsed.success.transRef))
  }, options)

  it.prop("has a kind", [texts], ([text]) => {
    const { crc, kind, payload, sendingBank } = readQr(text)
    assert.strictEqual(sendingBank !== null, Result.isSuccess(parseSlipPayload(text)))
    if (kind !== "slip" || crc === "wrong") assert.strictEqual(payload, text)
  }, options)

  it.prop("equals its fields when it can be split", [texts], ([text]) => {
    const fields = readTlv(text)
    if (fields !== undefined) assert.strictEqual(fields.map(({ tag, value }) => tlv(tag, value)).join(""), text)
  }, options)
})

const Field = Schema.Struct({
  tag: Schema.String.check(Schema.isPattern(/^[0-9]{2}$/u)),
  value: Schema.String.check(Schema.isMaxLength(99))
})

describe("fields", () => {
  it.prop("are decoded as they were encoded, for any content", [Schema.Array(Field)], ([fields]) => {
    assert.deepStrictEqual(readTlv(fields.map(({ tag, value }) => tlv(tag, value)).join("")), fields)
  })

  it.each(["0", "00", "000", "0001", "00 1x", "001", "0002x", "xx01x", "00-1x", "0000x", "٠٠01x"])(
    "can't be read from %j",
    (text) => {
      assert.isUndefined(readTlv(text))
    }
  )
})
