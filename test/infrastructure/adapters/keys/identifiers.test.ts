import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { Identifiers } from "../../../../ports/identifiers.ts"
import { layerIdentifiers } from "../../../../infrastructure/adapters/keys/identifiers.ts"

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u

const identifiers = Effect.provide(Identifiers, layerIdentifiers)

describe("identifiers", () => {
  it.effect("creates random UUIDs of version 4", function* () {
    const { random } = yield* identifiers
    const ids = Array.from({ length: 1_000 }, random)
    assert.strictEqual(new Set(ids).size, 1_000)
    for (const id of ids) assert.strictEqual(UUID.exec(id)?.[1], "4", id)
  })

  it.effect("creates UUIDs of version 7, which sort by their time", function* () {
    const { newId } = yield* identifiers
    const before = Date.now()
    const ids = Array.from({ length: 1_000 }, newId)
    assert.strictEqual(new Set(ids).size, 1_000)
    for (const id of ids) {
      assert.strictEqual(UUID.exec(id)?.[1], "7", id)
      const time = Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)
      assert.isAtLeast(time, before)
      assert.isAtMost(time, Date.now())
    }
  })

  // Computed with another implementation of RFC 9562 in the namespace 5b0b3f0e-7c5d-4a1b-9f2e-6d8c4a3b2c1d. Event ids
  // are derived this way: if this changed, the retry of an append with an unknown outcome could append twice.
  it.effect.each(
    [
      ["", "46402f96-d395-5f5b-9388-1a5be857c3a0"],
      ["branch-1/command-1/0", "697b586d-367d-51a5-a713-1775c95545cd"],
      ["slip-ร้าน", "94289df6-e893-535d-a1bf-bacac3ede994"]
    ] as const
  )("derives the same id from the name %o in every process", function* ([name, id]) {
    const { derived } = yield* identifiers
    assert.strictEqual(derived(name), id)
    assert.strictEqual(UUID.exec(id)?.[1], "5")
  })

  it.effect("creates webhook secrets of 32 random bytes", function* () {
    const { webhookSecret } = yield* identifiers
    const secrets = Array.from({ length: 100 }, webhookSecret)
    assert.strictEqual(new Set(secrets).size, 100)
    for (const secret of secrets) {
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/u)
      assert.lengthOf(Buffer.from(secret.slice("whsec_".length), "base64"), 32)
    }
  })
})
