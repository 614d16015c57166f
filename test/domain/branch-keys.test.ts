import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { allScopes, isInForce, keyIdOf, type KeyLimits } from "../../domain/api-key.ts"
import { branch, type BranchEvent } from "../../domain/branch.ts"
import { type ApiKeyRefused, keyWith, MAX_KEYS } from "../../domain/branch-keys.ts"
import { fold } from "../../domain/decider.ts"
import { given } from "../support/decider-spec.ts"

const at = Date.parse("2026-11-21T08:45:00.000Z")
const hour = 3_600_000
const time = (millis: number) => new Date(millis).toISOString()
const digest = (name: string) => name.padEnd(32, "0")

const created: ReadonlyArray<BranchEvent> = [
  { _tag: "BranchCreated", branchId: "b-1", serviceId: "s-1", name: "Main", isMain: true },
  { _tag: "ApiKeyIssued", keyDigest: digest("default") }
]
const unlimited: KeyLimits = { scopes: allScopes, expiresAt: null, networks: null }
const tillIssued: BranchEvent = {
  _tag: "ApiKeyIssued",
  keyDigest: digest("till"),
  name: "Till",
  scopes: ["verify"],
  expiresAt: time(at + 24 * hour),
  networks: ["203.0.113.0/24"]
}
const till: KeyLimits = { scopes: ["verify"], expiresAt: time(at + 24 * hour), networks: ["203.0.113.0/24"] }
const issue = {
  _tag: "IssueApiKey",
  keyDigest: digest("till"),
  name: "Till",
  limits: till,
  by: null,
  at
} as const
const replaceTill = {
  _tag: "ReplaceApiKey",
  keyId: keyIdOf(digest("till")),
  keyDigest: digest("next"),
  overlapUntil: at + hour,
  by: null,
  at
} as const

type Command = Parameters<typeof branch.decide>[0]

const refusalOf = (history: ReadonlyArray<BranchEvent>, command: Command): ApiKeyRefused["reason"] | undefined => {
  const decided = branch.decide(command, fold(branch, history))
  if (Result.isSuccess(decided)) assert.fail(`not refused: ${JSON.stringify(decided.success)}`)
  return decided.failure._tag === "ApiKeyRefused" ? decided.failure.reason : undefined
}

describe("a further key of a branch", () => {
  it("that was promised is issued while the branch has the same default key, and never later", () => {
    const promised = { ...issue, defaultKey: digest("default") }
    given(branch, ...created).when(promised).then(tillIssued)
    const rotate = { _tag: "RotateApiKey", keyDigest: digest("other") } as const
    const rotated = Result.getOrThrow(branch.decide(rotate, fold(branch, created)))
    assert.strictEqual(refusalOf([...created, ...rotated], promised), "asking-ended")
    assert.strictEqual(refusalOf([...created, tillIssued, ...rotated], promised), "asking-ended")
    given(branch, ...created, ...rotated).when(issue).then(tillIssued)
  })

  it("is issued beside the default key, with its limits", () => {
    given(branch, ...created).when(issue).then(tillIssued)
    const state = fold(branch, [...created, tillIssued])
    assert.strictEqual(state.keyDigest, digest("default"))
    assert.deepStrictEqual(keyWith(state, digest("till")), {
      ...till,
      name: "Till",
      isReplaced: false,
      isRevoked: false
    })
  })

  it("has no stored field for a limit that it has not", () => {
    given(branch, ...created).when({ ...issue, limits: unlimited })
      .then({ _tag: "ApiKeyIssued", keyDigest: digest("till"), name: "Till" })
  })

  it("is refused when it would be expired at once", () => {
    assert.strictEqual(refusalOf(created, { ...issue, limits: { ...till, expiresAt: time(at) } }), "past")
  })

  it("stays when the default key is rotated", () => {
    given(branch, ...created, tillIssued).when({ _tag: "RotateApiKey", keyDigest: digest("new") }).then(
      { _tag: "ApiKeyRevoked", keyDigest: digest("default") },
      { _tag: "ApiKeyIssued", keyDigest: digest("new") }
    )
  })

  it("is in force until it expires or is revoked", () => {
    const key = keyWith(fold(branch, [...created, tillIssued]), digest("till"))
    assert.isTrue(key !== undefined && isInForce(key, at + 24 * hour - 1))
    assert.isFalse(key !== undefined && isInForce(key, at + 24 * hour))
    assert.isFalse(key !== undefined && isInForce({ ...key, isRevoked: true }, at))
  })
})

describe("a branch", () => {
  const others = Array.from({ length: MAX_KEYS - 1 }, (_, index): BranchEvent => ({
    _tag: "ApiKeyIssued",
    keyDigest: digest(`key-${index}x`),
    name: "Till"
  }))

  it(`has at most ${MAX_KEYS} keys in force`, () => {
    assert.strictEqual(refusalOf([...created, ...others], issue), "too-many")
    given(branch, ...created, ...others.slice(1)).when(issue).then(tillIssued)
    given(branch, ...created, ...others, { _tag: "ApiKeyRevoked", keyDigest: digest("key-7x") }).when(issue)
      .then(tillIssued)
  })

  it("rotates a key at its limit only without an overlap", () => {
    const full = [...created, tillIssued, ...others.slice(1)]
    assert.strictEqual(refusalOf(full, replaceTill), "too-many")
    given(branch, ...full).when({ ...replaceTill, overlapUntil: at }).then(
      { _tag: "ApiKeyRevoked", keyDigest: digest("till") },
      { ...tillIssued, keyDigest: digest("next") }
    )
  })
})

describe("the rotation of one key", () => {
  it("issues a key with the same name and limits, and the old one works for the overlap", () => {
    given(branch, ...created, tillIssued).when(replaceTill).then(
      { _tag: "ApiKeyExpirySet", keyDigest: digest("till"), expiresAt: time(at + hour) },
      { ...tillIssued, keyDigest: digest("next") }
    )
  })

  it("never lengthens the life of the old key", () => {
    given(branch, ...created, tillIssued).when({ ...replaceTill, overlapUntil: at + 48 * hour }).then(
      { _tag: "ApiKeyExpirySet", keyDigest: digest("till"), expiresAt: time(at + 24 * hour) },
      { ...tillIssued, keyDigest: digest("next") }
    )
  })

  it("of the default key makes the new one the default key, and rotating it at once stops both", () => {
    const overlapped: ReadonlyArray<BranchEvent> = [
      { _tag: "ApiKeyExpirySet", keyDigest: digest("default"), expiresAt: time(at + hour) },
      { _tag: "ApiKeyIssued", keyDigest: digest("next") }
    ]
    given(branch, ...created).when({ ...replaceTill, keyId: keyIdOf(digest("default")) }).then(...overlapped)
    assert.strictEqual(fold(branch, [...created, ...overlapped]).keyDigest, digest("next"))
    given(branch, ...created, ...overlapped).when({ _tag: "RotateApiKey", keyDigest: digest("safe") }).then(
      { _tag: "ApiKeyRevoked", keyDigest: digest("default") },
      { _tag: "ApiKeyRevoked", keyDigest: digest("next") },
      { _tag: "ApiKeyIssued", keyDigest: digest("safe") }
    )
  })

  it("is refused for a key that was replaced or has ended, and for one that the branch does not have", () => {
    const replaced: BranchEvent = { _tag: "ApiKeyExpirySet", keyDigest: digest("till"), expiresAt: time(at + hour) }
    const again = { ...replaceTill, keyDigest: digest("third") }
    assert.strictEqual(refusalOf([...created, tillIssued, replaced], again), "replaced")
    assert.strictEqual(refusalOf([...created, tillIssued], { ...replaceTill, at: at + 24 * hour }), "ended")
    const revoked: BranchEvent = { _tag: "ApiKeyRevoked", keyDigest: digest("till") }
    assert.strictEqual(refusalOf([...created, tillIssued, revoked], replaceTill), "ended")
    given(branch, ...created).when(replaceTill).thenRejected("ApiKeyNotFound")
  })
})

describe("a key that asks for a key", () => {
  const manager: BranchEvent = {
    _tag: "ApiKeyIssued",
    keyDigest: digest("manager"),
    name: "Manager",
    scopes: ["configure"],
    expiresAt: time(at + 24 * hour)
  }
  const history = [...created, manager, tillIssued]
  const own = { scopes: ["configure"], expiresAt: time(at + 24 * hour), networks: null } as const
  const asks = (limits: Partial<KeyLimits>) =>
    ({ ...issue, keyDigest: digest("new"), limits: { ...own, ...limits }, by: digest("manager") }) as const

  it("gets one that is no more than itself", () => {
    given(branch, ...history).when(asks({})).then({ ...manager, keyDigest: digest("new"), name: "Till" })
    assert.strictEqual(refusalOf(history, asks({ scopes: ["verify"] })), "scopes")
    assert.strictEqual(refusalOf(history, asks({ scopes: ["configure", "read"] })), "scopes")
    assert.strictEqual(refusalOf(history, asks({ expiresAt: null })), "expiresAt")
  })

  it("does not get a stronger key by a rotation", () => {
    const by = digest("manager")
    assert.strictEqual(refusalOf(history, { ...replaceTill, by }), "scopes")
    assert.strictEqual(refusalOf(history, { ...replaceTill, by, keyId: keyIdOf(digest("default")) }), "scopes")
    given(branch, ...history).when({ ...replaceTill, by, keyId: keyIdOf(by) }).then(
      { _tag: "ApiKeyExpirySet", keyDigest: by, expiresAt: time(at + hour) },
      { ...manager, keyDigest: digest("next") }
    )
  })

  it("gets none once it was revoked or has expired", () => {
    const revoked: BranchEvent = { _tag: "ApiKeyRevoked", keyDigest: digest("manager") }
    assert.strictEqual(refusalOf([...history, revoked], asks({})), "asking-ended")
    assert.strictEqual(refusalOf(history, { ...asks({}), at: at + 24 * hour }), "asking-ended")
    assert.strictEqual(refusalOf(history, { ...asks({}), by: digest("unknown") }), "asking-ended")
  })
})

describe("a revocation", () => {
  const revoke = { _tag: "RevokeApiKey", keyId: keyIdOf(digest("till")) } as const

  it("is recorded once, also of the default key", () => {
    const revoked: BranchEvent = { _tag: "ApiKeyRevoked", keyDigest: digest("till") }
    given(branch, ...created, tillIssued).when(revoke).then(revoked)
    given(branch, ...created, tillIssued, revoked).when(revoke).thenNothing()
    given(branch, ...created).when({ ...revoke, keyId: keyIdOf(digest("default")) })
      .then({ _tag: "ApiKeyRevoked", keyDigest: digest("default") })
  })

  it("of a key that the branch does not have is rejected", () => {
    given(branch, ...created).when(revoke).thenRejected("ApiKeyNotFound")
    given(branch).when(revoke).thenRejected("BranchNotFound")
  })
})
