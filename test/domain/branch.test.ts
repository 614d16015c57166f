import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { Scope } from "../../domain/api-key.ts"
import { branch, type BranchCommand, BranchEvent, signingSecrets } from "../../domain/branch.ts"
import { fold } from "../../domain/decider.ts"
import { satang } from "../../domain/money.ts"
import type { Sealed } from "../../domain/sealed.ts"
import { given } from "../support/decider-spec.ts"
import { itObeysTheLaws } from "./decider-laws.ts"

const at = "2026-11-21T08:45:00.000Z"
const secret = { k: "master", n: "bm9uY2U=", c: "Zmlyc3Q=" }
const newSecret = { k: "master", n: "b3RoZXI=", c: "c2Vjb25k" }
const identity = { branchId: "b-1", serviceId: "s-1", name: "Main", isMain: true }

const create = {
  _tag: "CreateBranch",
  ...identity,
  keyDigest: "digest-1",
  webhookSecret: secret,
  at,
  settings: {}
} as const
const created: ReadonlyArray<BranchEvent> = [
  { _tag: "BranchCreated", ...identity },
  { _tag: "ApiKeyIssued", keyDigest: "digest-1" },
  { _tag: "WebhookSecretRotated", secret, effectiveAt: at, previousExpiresAt: null },
  { _tag: "QuotaSet", quota: null }
]
const unlimited: BranchEvent = { _tag: "QuotaSet", quota: null }
const deactivated: BranchEvent = { _tag: "BranchDeactivated" }

describe("a new branch", () => {
  it("has a key, a webhook secret and no quota limit", () => {
    given(branch).when(create).then(...created)
  })

  it("records an explicit request for no limit", () => {
    given(branch).when({ ...create, settings: { quota: undefined } }).then(...created)
    given(branch).when({ ...create, settings: { quota: null } }).then(...created)
  })

  it("has its settings", () => {
    const settings = { quota: 0, ipWhitelist: ["203.0.113.0/24"], webhookUrl: "https://shop.example/hook" }
    given(branch).when({ ...create, settings }).then(
      ...created.filter((event) => event !== created[3]),
      { _tag: "QuotaSet", quota: 0 },
      { _tag: "IpWhitelistSet", entries: ["203.0.113.0/24"] },
      { _tag: "WebhookUrlSet", url: "https://shop.example/hook" }
    )
  })

  it("has one name: the name in the settings is ignored", () => {
    given(branch).when({ ...create, settings: { name: "Other" } }).then(...created)
  })

  it("admits every address by default", () => {
    assert.deepStrictEqual(fold(branch, created).ipWhitelist, ["*"])
    given(branch).when({ ...create, settings: { ipWhitelist: ["*"] } }).then(...created)
  })

  it("is created once", () => {
    given(branch, ...created).when({ ...create, keyDigest: "digest-2" }).thenNothing()
  })
})

describe("the settings of a branch", () => {
  const limited: BranchEvent = { _tag: "QuotaSet", quota: 10 }

  it("change when they are present and stay when they are absent", () => {
    given(branch, ...created).when({ _tag: "ChangeBranch", settings: {} }).thenNothing()
    given(branch, ...created).when({
      _tag: "ChangeBranch",
      settings: { name: "Silom", quota: 10, ipWhitelist: ["::1"], webhookUrl: "https://a.example" }
    }).then(
      { _tag: "BranchRenamed", name: "Silom" },
      limited,
      { _tag: "IpWhitelistSet", entries: ["::1"] },
      { _tag: "WebhookUrlSet", url: "https://a.example" }
    )
  })

  it("do not change to an equal value", () => {
    given(branch, ...created).when({
      _tag: "ChangeBranch",
      settings: { name: "Main", quota: null, ipWhitelist: ["*"], webhookUrl: null }
    }).thenNothing()
  })

  it("distinguish a quota of 0 from no quota", () => {
    given(branch, ...created).when({ _tag: "ChangeBranch", settings: { quota: 0 } })
      .then({ _tag: "QuotaSet", quota: 0 })
    given(branch, ...created, limited).when({ _tag: "ChangeBranch", settings: { quota: null } }).then(unlimited)
    given(branch, ...created, limited).when({ _tag: "ChangeBranch", settings: { quota: undefined } }).thenNothing()
  })

  it("remove a webhook URL by null", () => {
    given(branch, ...created, { _tag: "WebhookUrlSet", url: "https://a.example" })
      .when({ _tag: "ChangeBranch", settings: { webhookUrl: null } })
      .then({ _tag: "WebhookUrlSet", url: null })
  })

  it("compare whitelists entry by entry", () => {
    const listed: BranchEvent = { _tag: "IpWhitelistSet", entries: ["::1", "::2"] }
    const change = (...ipWhitelist: ReadonlyArray<string>) =>
      given(branch, ...created, listed).when({ _tag: "ChangeBranch", settings: { ipWhitelist } })

    change("::1", "::2").thenNothing()
    change("::1").then({ _tag: "IpWhitelistSet", entries: ["::1"] })
    change("::1", "::2", "::3").then({ _tag: "IpWhitelistSet", entries: ["::1", "::2", "::3"] })
    change().then({ _tag: "IpWhitelistSet", entries: [] })
  })
})

describe("the key of a branch", () => {
  it("is revoked in the step that issues the next one", () => {
    given(branch, ...created).when({ _tag: "RotateApiKey", keyDigest: "digest-2" }).then(
      { _tag: "ApiKeyRevoked", keyDigest: "digest-1" },
      { _tag: "ApiKeyIssued", keyDigest: "digest-2" }
    )
  })

  it("is not revoked by a repeated rotation", () => {
    given(branch, ...created).when({ _tag: "RotateApiKey", keyDigest: "digest-1" }).thenNothing()
  })

  it("is issued again when no key is left", () => {
    given(branch, ...created, { _tag: "ApiKeyRevoked", keyDigest: "digest-1" })
      .when({ _tag: "RotateApiKey", keyDigest: "digest-2" })
      .then({ _tag: "ApiKeyIssued", keyDigest: "digest-2" })
  })

  it("survives the revocation of an older one", () => {
    const history: ReadonlyArray<BranchEvent> = [...created, { _tag: "ApiKeyRevoked", keyDigest: "digest-0" }]
    assert.strictEqual(fold(branch, history).keyDigest, "digest-1")
  })
})

describe("the webhook secret of a branch", () => {
  const rotate = {
    _tag: "RotateWebhookSecret",
    secret: newSecret,
    effectiveAt: at,
    previousExpiresAt: "2026-11-22T08:45:00.000Z"
  } as const

  it("is rotated with an end for the previous one", () => {
    given(branch, ...created).when(rotate).then({ ...rotate, _tag: "WebhookSecretRotated" })
  })

  it("is not rotated to the same secret", () => {
    given(branch, ...created).when({ ...rotate, secret }).thenNothing()
  })

  describe("in force", () => {
    const thirdSecret = { k: "master", n: "dGhpcmQ=", c: "dGhpcmQ=" }
    const rotation = (secret: Sealed, effectiveAt: string, previousExpiresAt: string | null): BranchEvent => ({
      _tag: "WebhookSecretRotated",
      secret,
      effectiveAt,
      previousExpiresAt
    })
    const inForce = (time: string, ...rotations: ReadonlyArray<BranchEvent>) =>
      signingSecrets(fold(branch, [...created, ...rotations]), Date.parse(time))
    const overlapping = rotation(newSecret, at, "2026-11-22T08:45:00.000Z")

    it("is the secret of the creation, and none before", () => {
      assert.deepStrictEqual(inForce(at), [secret])
      assert.deepStrictEqual(signingSecrets(branch.initialState, Date.parse(at)), [])
    })

    it("is the newest, followed by the previous one until it expires", () => {
      assert.deepStrictEqual(inForce(at, overlapping), [newSecret, secret])
      assert.deepStrictEqual(inForce("2026-11-22T08:44:59.999Z", overlapping), [newSecret, secret])
      assert.deepStrictEqual(inForce("2026-11-22T08:45:00.000Z", overlapping), [newSecret])
    })

    it("is only the newest without an overlap, also for a clock that is behind", () => {
      const cutOff = rotation(newSecret, at, at)
      assert.deepStrictEqual(inForce(at, cutOff), [newSecret])
      assert.deepStrictEqual(inForce("2026-11-21T08:40:00.000Z", cutOff), [newSecret])
      assert.deepStrictEqual(inForce(at, rotation(newSecret, at, null)), [newSecret])
    })

    it("is at most two: a third one removes the oldest within its overlap", () => {
      const third = rotation(thirdSecret, "2026-11-21T09:00:00.000Z", "2026-11-21T10:00:00.000Z")
      assert.deepStrictEqual(inForce("2026-11-21T09:00:00.000Z", overlapping, third), [thirdSecret, newSecret])
      assert.deepStrictEqual(inForce("2026-11-21T10:00:00.000Z", overlapping, third), [thirdSecret])
    })

    it("is only the newest after a leaked secret was revoked within an overlap", () => {
      const cutOff = rotation(thirdSecret, "2026-11-21T09:00:00.000Z", "2026-11-21T09:00:00.000Z")
      assert.deepStrictEqual(inForce("2026-11-21T09:00:00.000Z", overlapping, cutOff), [thirdSecret])
    })
  })
})

describe("the policy of a branch", () => {
  const conditions = { amount: { atLeast: satang(20_00) }, receivers: "registered" } as const
  const other = { duplicate: "allow" } as const
  const set: BranchEvent = { _tag: "PolicySet", version: 1, conditions }
  const removed: BranchEvent = { _tag: "PolicyRemoved" }

  it("has a version that each change raises", () => {
    given(branch, ...created).when({ _tag: "SetPolicy", conditions }).then(set)
    given(branch, ...created, set).when({ _tag: "SetPolicy", conditions: other }).then({
      _tag: "PolicySet",
      version: 2,
      conditions: other
    })
  })

  it("keeps its version when the same conditions are set again", () => {
    const same = { receivers: "registered", amount: { atLeast: satang(20_00) } } as const
    given(branch, ...created, set).when({ _tag: "SetPolicy", conditions: same }).thenNothing()
  })

  it("is removed once, and its version is not used again", () => {
    given(branch, ...created, set).when({ _tag: "RemovePolicy" }).then(removed)
    given(branch, ...created, set, removed).when({ _tag: "RemovePolicy" }).thenNothing()
    given(branch, ...created).when({ _tag: "RemovePolicy" }).thenNothing()
    given(branch, ...created, set, removed).when({ _tag: "SetPolicy", conditions }).then({ ...set, version: 2 })
  })

  it("needs a branch", () => {
    given(branch).when({ _tag: "SetPolicy", conditions }).thenRejected("BranchNotFound")
  })
})

describe("a branch", () => {
  it("is active at first, and is deactivated and activated", () => {
    given(branch, ...created).when({ _tag: "ActivateBranch" }).thenNothing()
    given(branch, ...created).when({ _tag: "DeactivateBranch" }).then(deactivated)
    given(branch, ...created, deactivated).when({ _tag: "DeactivateBranch" }).thenNothing()
    given(branch, ...created, deactivated).when({ _tag: "ActivateBranch" }).then({ _tag: "BranchActivated" })
  })

  it.each<BranchCommand>([
    { _tag: "ChangeBranch", settings: { name: "Silom" } },
    { _tag: "RotateApiKey", keyDigest: "digest-2" },
    { _tag: "RotateWebhookSecret", secret, effectiveAt: at, previousExpiresAt: at },
    { _tag: "DeactivateBranch" },
    { _tag: "ActivateBranch" }
  ])("refuses $_tag before it is created", (command) => {
    given(branch).when(command).thenRejected("BranchNotFound")
  })
})

const Settings = Schema.Struct({
  name: Schema.optional(Schema.Literals(["Main", "Silom"])),
  quota: Schema.optional(Schema.NullOr(Schema.Literals([0, 10]))),
  ipWhitelist: Schema.optional(Schema.Array(Schema.Literals(["*", "::1"])).check(Schema.isMaxLength(2))),
  webhookUrl: Schema.optional(Schema.NullOr(Schema.Literals(["https://a.example", "https://b.example"])))
})
const Secret = Schema.Struct({ k: Schema.Literal("master"), n: Schema.String, c: Schema.Literals(["one", "two"]) })
const KeyDigest = Schema.Literals(["digest-1", "digest-2", "digest-3"])

/** Short digests are their own ids. */
const Moment = Schema.Literals([1_000, 2_000, 3_000])
const Asked = { by: Schema.NullOr(KeyDigest), at: Moment }
const Limits = Schema.Struct({
  scopes: Schema.Array(Scope).check(Schema.isBetweenLength(1, 3)),
  expiresAt: Schema.NullOr(Schema.Literals(["1970-01-01T00:00:02.000Z", "1970-01-01T00:00:04.000Z"])),
  networks: Schema.NullOr(Schema.Array(Schema.Literals(["10.0.0.0/8", "10.1.0.0/16"])))
})

const Command = Schema.TaggedUnion({
  CreateBranch: {
    branchId: Schema.String,
    serviceId: Schema.String,
    isMain: Schema.Boolean,
    name: Schema.String,
    keyDigest: KeyDigest,
    webhookSecret: Secret,
    at: Schema.String,
    settings: Settings
  },
  ChangeBranch: { settings: Settings },
  RotateApiKey: { keyDigest: KeyDigest },
  IssueApiKey: { keyDigest: KeyDigest, name: Schema.Literals(["Till", "Back office"]), limits: Limits, ...Asked },
  ReplaceApiKey: { keyId: KeyDigest, keyDigest: KeyDigest, overlapUntil: Moment, ...Asked },
  RevokeApiKey: { keyId: KeyDigest },
  RotateWebhookSecret: { secret: Secret, effectiveAt: Schema.String, previousExpiresAt: Schema.String },
  DeactivateBranch: {},
  ActivateBranch: {}
})

describe("any branch", () => {
  itObeysTheLaws(branch, BranchEvent, Arbitrary.schema(Command))
})
