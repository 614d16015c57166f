import { assert, describe, it } from "@effect/vitest"
import { allScopes, excessOf, type KeyLimits } from "../../domain/api-key.ts"

const unlimited: KeyLimits = { scopes: allScopes, expiresAt: null, networks: null }
const own: KeyLimits = {
  scopes: ["read", "configure"],
  expiresAt: "2027-01-01T00:00:00.000Z",
  networks: ["203.0.113.0/24", "2001:db8:0:0:0:0:0:0/32"]
}
const excess = (limits: Partial<KeyLimits>) => excessOf({ ...own, ...limits }, own)

describe("limits of a key", () => {
  it("are not more than themselves, and nothing is more than no limits", () => {
    assert.isUndefined(excess({}))
    assert.isUndefined(excessOf(own, unlimited))
    assert.isUndefined(excessOf(unlimited, unlimited))
  })

  it("are more with another scope", () => {
    assert.isUndefined(excess({ scopes: ["read"] }))
    assert.strictEqual(excess({ scopes: ["read", "verify"] }), "scopes")
  })

  it("are more with a later end, or none", () => {
    assert.isUndefined(excess({ expiresAt: "2026-12-31T23:59:59.999Z" }))
    assert.strictEqual(excess({ expiresAt: "2027-01-01T00:00:00.001Z" }), "expiresAt")
    assert.strictEqual(excess({ expiresAt: null }), "expiresAt")
  })

  it.each([
    ["203.0.113.7/32", undefined],
    ["203.0.113.128/25", undefined],
    ["203.0.113.0/24", undefined],
    ["203.0.112.0/23", "networks"],
    ["203.0.114.0/24", "networks"],
    ["0.0.0.0/0", "networks"],
    ["2001:db8:1:0:0:0:0:0/48", undefined],
    ["2001:db8:0:0:0:0:0:1/128", undefined],
    ["2001:db9:0:0:0:0:0:0/32", "networks"],
    ["0:0:0:0:0:0:0:0/0", "networks"]
  ])("with the network %s: %s", (network, expected) => {
    assert.strictEqual(excess({ networks: ["203.0.113.0/24", network] }), expected)
  })

  it("are more without networks", () => {
    assert.strictEqual(excess({ networks: null }), "networks")
  })

  it("compare networks of one family only", () => {
    const all4 = { ...own, networks: ["0.0.0.0/0"] }
    assert.strictEqual(excessOf({ ...own, networks: ["0:0:0:0:0:0:0:1/128"] }, all4), "networks")
    assert.isUndefined(excessOf({ ...own, networks: ["198.51.100.0/24"] }, all4))
  })
})
