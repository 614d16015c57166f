import { assert, describe, it } from "@effect/vitest"
import { createHmac, createSecretKey } from "node:crypto"
import { makeHmac } from "../../../../infrastructure/adapters/keys/hmac.ts"

describe("HMAC-SHA-256", () => {
  it("gives the digests of RFC 4231", () => {
    const digest = (key: string, text: string) => makeHmac(createSecretKey(Buffer.from(key, "latin1")))(text)
    assert.strictEqual(
      digest("\x0b".repeat(20), "Hi There"),
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    )
    assert.strictEqual(
      digest("Jefe", "what do ya want for nothing?"),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    )
  })

  it("gives the digests of the runtime for short, long and Thai texts in a row", () => {
    const texts = [
      "",
      "a",
      "slip\u0000004:0123456789",
      "x".repeat(5_000),
      "นาย สมชาย ท".repeat(40),
      "🧾",
      "\ud800",
      "a"
    ]
    for (const length of [1, 32, 64]) {
      const key = createSecretKey(Buffer.alloc(length, 0xa7))
      const digest = makeHmac(key)
      for (const text of texts) {
        assert.strictEqual(digest(text), createHmac("sha256", key).update(text).digest("hex"), text.slice(0, 20))
      }
    }
  })

  it("refuses a key that is longer than a block: it would have to be hashed first", () => {
    assert.throws(() => makeHmac(createSecretKey(Buffer.alloc(65))), /65 bytes/u)
  })
})
