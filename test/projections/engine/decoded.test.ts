import { assert, describe, it } from "@effect/vitest"
import { keyUses, notes } from "../../../domain/events/aggregates.ts"
import { decoded } from "../../../projections/engine/decoded.ts"
import { storedFields } from "../../support/every-event.ts"
import { recordedEvent } from "../../support/event-fixtures.ts"

describe("decoding a recorded event again", () => {
  const event = () => recordedEvent("ApiKeyUsed", { keyDigest: "k", day: "2026-11-25" })

  it("gives the event of the first time", () => {
    const once = event()
    assert.strictEqual(decoded(keyUses, once), decoded(keyUses, once))
  })

  it("decodes a copy with other data anew", () => {
    const once = event()
    decoded(keyUses, once)
    const copy = { ...once, data: { keyDigest: "k", day: "2026-11-26" } }
    assert.deepStrictEqual(storedFields(decoded(keyUses, copy)), {
      _tag: "ApiKeyUsed",
      keyDigest: "k",
      day: "2026-11-26"
    })
  })

  it("decodes it anew for another aggregate", () => {
    const once = event()
    decoded(keyUses, once)
    assert.throws(() => decoded(notes, once))
  })
})
