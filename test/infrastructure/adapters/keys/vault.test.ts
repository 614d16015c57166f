import { assert, describe, it } from "../../../support/it.ts"
import { Effect, Redacted, Schema } from "effect"
import { createHash } from "node:crypto"
import { Vault } from "../../../../ports/vault.ts"
import type { Sealed } from "../../../../domain/sealed.ts"
import { layerVault } from "../../../../infrastructure/adapters/keys/vault.ts"

const under = (name: string) =>
  Effect.provide(Vault, layerVault(Redacted.make(new Uint8Array(createHash("sha256").update(name).digest()))))

/** The base64 text of the same bytes with one bit flipped. */
const altered = (base64: string, at: number): string => {
  const bytes = Buffer.from(base64, "base64")
  const index = at < 0 ? bytes.length + at : at
  bytes[index] = (bytes[index] ?? 0) ^ 1
  return bytes.toString("base64")
}

describe("the vault", () => {
  it.effect.prop(
    "opens every text that it sealed",
    { purpose: Schema.String, plain: Schema.String },
    (given) =>
      Effect.gen(function* () {
        const { open, seal } = yield* under("this key")
        // Removes lone surrogates, which have no UTF-8.
        const plain = Buffer.from(given.plain).toString()
        assert.strictEqual(yield* open(given.purpose, yield* seal(given.purpose, plain)), plain)
      })
  )

  it.effect("seals the same text differently each time and reveals nothing of it", function* () {
    const { seal } = yield* under("this key")
    const sealed = yield* Effect.all(Array.from({ length: 100 }, () => seal("remark", "Somchai Jaidee")))
    assert.strictEqual(new Set(sealed.map(({ n }) => n)).size, 100)
    assert.strictEqual(new Set(sealed.map(({ c }) => c)).size, 100)
    for (const { c } of sealed) assert.notInclude(Buffer.from(c, "base64").toString("latin1"), "Somchai")
  })

  it.effect("refuses to open a value for another purpose", function* () {
    const { open, seal } = yield* under("this key")
    const sealed = yield* seal("slip-remark", "a remark")
    for (const purpose of ["slip-transfer", "slip-remark ", "", "SLIP-REMARK"]) {
      assert.strictEqual((yield* Effect.flip(open(purpose, sealed))).reason, "broken")
    }
  })

  it.effect.each(
    [
      ["the first byte of the ciphertext", (sealed: Sealed) => ({ ...sealed, c: altered(sealed.c, 0) })],
      ["the last byte of the tag", (sealed: Sealed) => ({ ...sealed, c: altered(sealed.c, -1) })],
      ["the nonce", (sealed: Sealed) => ({ ...sealed, n: altered(sealed.n, 5) })],
      ["a tag that is cut short", (sealed: Sealed) => ({
        ...sealed,
        c: Buffer.from(sealed.c, "base64").subarray(0, -4).toString("base64")
      })],
      ["a ciphertext shorter than a tag", (sealed: Sealed) => ({ ...sealed, c: "AAAA" })],
      ["no ciphertext", (sealed: Sealed) => ({ ...sealed, c: "" })],
      ["no nonce", (sealed: Sealed) => ({ ...sealed, n: "" })]
    ] as const
  )("refuses a changed value: %s", function* ([, alter]) {
    const { open, seal } = yield* under("this key")
    const sealed = alter(yield* seal("remark", "a remark"))
    assert.strictEqual((yield* Effect.flip(open("remark", sealed))).reason, "broken")
  })

  it.effect("distinguishes a value of another master key from a changed value", function* () {
    const sealed = yield* (yield* under("another key")).seal("remark", "a remark")
    const { open } = yield* under("this key")
    assert.strictEqual((yield* Effect.flip(open("remark", sealed))).reason, "unknown-key")
  })

  it.effect("computes the same digest in every process with the same key, and another digest with another key", function* () {
    const { digest } = yield* under("this key")
    // Stream names in the log contain it: if it changed, no slip would be recognised as a duplicate.
    assert.strictEqual(digest("slip", "004:015083140218AQR00008"), "d3f4cef53156cf24c1b5440759aabe8e")
    assert.strictEqual((yield* under("this key")).digest("slip", "a"), digest("slip", "a"))
    const digests = [
      digest("slip", "a"),
      digest("slip", "A"),
      digest("slip", ""),
      digest("api-key", "a"),
      digest("", "slip\u0000a"),
      (yield* under("another key")).digest("slip", "a")
    ]
    assert.strictEqual(new Set(digests).size, digests.length)
    for (const text of digests) assert.match(text, /^[0-9a-f]{32}$/u)
  })
})
