import { assert, describe, it } from "@effect/vitest"
import type { BranchEvent } from "../../../domain/branch.ts"
import type { KeyUseEvent } from "../../../domain/key-use.ts"
import { branches, keyUses, streamOf } from "../../../domain/events/aggregates.ts"
import { branchesProjection, branchSets, keyRows } from "../../../projections/models/branches.ts"
import { projected, recorded } from "../given-events.ts"

const at = "2026-11-21T08:45:00.000Z"
const ofBranch = (event: BranchEvent) => recorded(streamOf.branch("b-1"), branches, event, at)
const used = (day: string) => {
  const event: KeyUseEvent = { _tag: "ApiKeyUsed", keyDigest: "digest-1", day }
  return recorded(streamOf.keyUse("digest-1"), keyUses, event, at)
}

const issued = ofBranch({ _tag: "ApiKeyIssued", keyDigest: "digest-1" })
const row = {
  branchId: "b-1",
  name: null,
  scopes: ["verify", "read", "configure"] as const,
  expiresAt: null,
  networks: null,
  lastUsedOn: null,
  createdAt: at,
  replaced: false,
  revoked: false
}

describe("the row of a key", () => {
  it("of an event from before keys had limits has none", () => {
    const model = projected(branchesProjection, issued)
    assert.deepStrictEqual(model.row(keyRows, "digest-1"), row)
    assert.deepStrictEqual(model.members(branchSets.keysOf("b-1")), { "digest-1": Date.parse(at) })
  })

  it("has the name and the limits of its issue", () => {
    const limits = { scopes: ["verify"], expiresAt: "2027-01-01T00:00:00.000Z", networks: ["203.0.113.0/24"] } as const
    const model = projected(
      branchesProjection,
      ofBranch({ _tag: "ApiKeyIssued", keyDigest: "digest-1", name: "Till", ...limits })
    )
    assert.deepStrictEqual(model.row(keyRows, "digest-1"), { ...row, name: "Till", ...limits })
  })

  it("follows its replacement, its revocation and its last use", () => {
    const expiresAt = "2026-11-22T08:45:00.000Z"
    const replaced = ofBranch({ _tag: "ApiKeyExpirySet", keyDigest: "digest-1", expiresAt })
    const revoked = ofBranch({ _tag: "ApiKeyRevoked", keyDigest: "digest-1" })
    const model = projected(branchesProjection, issued, used("2026-11-21"), replaced, used("2026-11-22"), revoked)
    assert.deepStrictEqual(model.row(keyRows, "digest-1"), {
      ...row,
      lastUsedOn: "2026-11-22",
      expiresAt,
      replaced: true,
      revoked: true
    })
    assert.deepStrictEqual(Object.keys(model.members(branchSets.keysOf("b-1"))), ["digest-1"])
  })
})
