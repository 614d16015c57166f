import { assert, describe, it } from "../../support/it.ts"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import type { JsonObject } from "../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { ReadModels, ReadModelsError } from "../../../ports/read-models.ts"
import { Vault } from "../../../ports/vault.ts"
import { type KeyUse, KeyUses } from "../../../application/provisioning/key-uses.ts"
import { Callers } from "../../../application/provisioning/callers.ts"
import { callerOf } from "../given-verifier.ts"
import { layerKeys } from "../../support/ports.ts"

const KEY = "0f8fad5b-d9cb-4f69-a165-70867728950e"
const now = "2026-11-21T05:00:00.000Z"

type Table = "keys" | "branches" | "services" | "accounts"

/** The read model of one branch as rows that a test can change, with the number of rows that were read. */
const given = Effect.gen(function* () {
  const vault = Context.get(yield* Layer.build(layerKeys), Vault)
  const digest = vault.digest("api-key", KEY)
  const { account, branch, service } = callerOf({ branchId: "b", serviceId: "s" })
  const rows: Record<Table, Record<string, JsonObject>> = {
    keys: {
      [digest]: {
        branchId: "b",
        name: null,
        scopes: ["verify", "read", "configure"],
        expiresAt: null,
        networks: null,
        lastUsedOn: null,
        createdAt: now,
        replaced: false,
        revoked: false
      }
    },
    branches: { b: branch },
    services: { s: { ...service, accountId: "a" } },
    accounts: { a: account }
  }
  const uses: Array<KeyUse> = []
  const stub: {
    reads: number
    before: Effect.Effect<void, ReadModelsError>
    ready: Effect.Effect<void, ReadModelsError>
  } = { reads: 0, before: Effect.void, ready: Effect.void }
  const models = Layer.mock(ReadModels, {
    awaitComplete: () => Effect.suspend(() => stub.ready),
    get: (_, table, key) =>
      Effect.suspend(() => {
        stub.reads++
        const row = rows[table as Table][key]
        return Effect.as(stub.before, row)
      })
  })
  const callers = Context.get(
    yield* Layer.build(
      Callers.layer.pipe(
        Layer.provide(
          Layer.mergeAll(
            models,
            Layer.mock(EventStore, {}),
            Layer.succeed(Vault, vault),
            Layer.succeed(KeyUses, (use: KeyUse) => void uses.push(use))
          )
        )
      )
    ),
    Callers
  )
  yield* TestClock.setTime(Date.parse(now))
  const set = (table: Table, key: string, fields: JsonObject) => {
    rows[table][key] = { ...rows[table][key], ...fields }
  }
  return { callers, digest, stub, rows, set, uses }
})

const refusal = (callers: Callers["Service"], key = KEY) =>
  Effect.map(Effect.flip(callers.authenticate(key)), (error) => error.reason)

/** Every reason to refuse, in the order of the checks, with the change that causes it. */
const faults = [
  ["service-deleted", "services", "s", { deleted: true }],
  ["service-banned", "services", "s", { banned: true }],
  ["account-banned", "accounts", "a", { banned: true }],
  ["account-not-verified", "accounts", "a", { verified: false }],
  ["service-expired", "services", "s", { expiresAt: now }],
  ["service-deactivated", "services", "s", { active: false }],
  ["branch-inactive", "branches", "b", { active: false }]
] as const

describe("a caller", () => {
  it.effect("is identified by its key in upper or lower case", function* () {
    const { callers } = yield* given
    const caller = yield* callers.authenticate(KEY)
    assert.deepInclude({ ...caller }, { branchId: "b", serviceId: "s" })
    assert.deepStrictEqual(yield* callers.authenticate(KEY.toUpperCase()), caller)
  })

  it.effect.each(
    [
      "",
      "nonsense",
      KEY.slice(1),
      `${KEY}0`,
      ` ${KEY}`,
      "00000000-0000-1000-8000-000000000000",
      "7f8fad5b-d9cb-4f69-a165-70867728950e"
    ]
  )("is unknown with the key %o", function* (key) {
    const { callers } = yield* given
    assert.strictEqual(yield* refusal(callers, key), "unknown-key")
  })

  it.effect("is refused without a read of the read model when its key is no UUID", function* () {
    const { callers, stub } = yield* given
    yield* refusal(callers, "nonsense")
    assert.strictEqual(stub.reads, 0)
  })

  it.effect("is refused for the first failed check", function* () {
    const { callers, set } = yield* given
    for (const [reason, table, key, fields] of faults.toReversed()) {
      set(table, key, fields)
      yield* callers.refresh
      assert.strictEqual(yield* refusal(callers), reason)
    }
  })

  it.effect("is admitted until its service expires, also from the cache", function* () {
    const { callers, set } = yield* given
    set("services", "s", { expiresAt: "2026-11-21T05:00:00.100Z" })
    yield* TestClock.adjust(99)
    yield* callers.authenticate(KEY)
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* refusal(callers), "service-expired")
  })

  it.effect("has the limits of its key, and is an actor with the id of a key that is not the default one", function* () {
    const { callers, digest, set } = yield* given
    const byDefault = yield* callers.authenticate(KEY)
    assert.deepStrictEqual(byDefault.actor, { kind: "branch", id: "b" })
    assert.deepStrictEqual(byDefault.key, {
      digest,
      scopes: ["verify", "read", "configure"],
      expiresAt: null,
      endsAt: Infinity,
      networks: null
    })
    const limits = {
      scopes: ["verify"],
      expiresAt: "2026-11-22T00:00:00.000Z",
      networks: ["203.0.113.0/24"]
    } as const
    set("keys", digest, { name: "Till", ...limits })
    yield* callers.refresh
    const { actor, key } = yield* callers.authenticate(KEY)
    assert.deepStrictEqual(actor, { kind: "branch", id: "b", key: digest.slice(0, 16) })
    assert.deepInclude({ ...key }, limits)
  })

  it.effect("is unknown once its key expires, also from the cache, and before any other check", function* () {
    const { callers, digest, set, stub } = yield* given
    set("keys", digest, { expiresAt: "2026-11-21T05:00:00.100Z" })
    yield* TestClock.adjust(99)
    yield* callers.authenticate(KEY)
    const { reads } = stub
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* refusal(callers), "unknown-key")
    assert.strictEqual(stub.reads, reads)
    set("services", "s", { deleted: true })
    yield* callers.refresh
    assert.strictEqual(yield* refusal(callers), "unknown-key")
    assert.isFalse(callers.isKnown(KEY))
  })

  it.effect("has its key recorded as used once a day, however many requests it sends", function* () {
    const { callers, digest, uses } = yield* given
    for (let count = 0; count < 1_000; count++) {
      yield* callers.authenticate(KEY)
      yield* TestClock.adjust("10 seconds")
      yield* callers.refresh
    }
    const recorded = uses.map(({ day, keyDigest }) => [keyDigest, day])
    assert.deepStrictEqual(recorded, [[digest, "2026-11-21"]])
    yield* TestClock.setTime(Date.parse("2026-11-22T00:00:00.000Z"))
    yield* callers.authenticate(KEY)
    assert.strictEqual(uses.at(-1)?.day, "2026-11-22")
    assert.lengthOf(uses, 2)
  })

  it.effect("has its key not recorded when another process did, and again after a failure", function* () {
    const { callers, digest, set, uses } = yield* given
    set("keys", digest, { lastUsedOn: "2026-11-21" })
    yield* callers.authenticate(KEY)
    assert.lengthOf(uses, 0)
    set("keys", digest, { lastUsedOn: "2026-11-20" })
    yield* callers.refresh
    yield* callers.authenticate(KEY)
    assert.lengthOf(uses, 1)
    uses[0]?.onFailure()
    yield* callers.authenticate(KEY)
    assert.lengthOf(uses, 1)
    yield* TestClock.adjust("500 millis")
    yield* callers.authenticate(KEY)
    assert.lengthOf(uses, 2)
  })

  it.effect("is cached for half a second", function* () {
    const { callers, stub, set } = yield* given
    yield* callers.authenticate(KEY)
    set("services", "s", { banned: true })
    const { reads } = stub
    yield* TestClock.adjust("499 millis")
    yield* callers.authenticate(KEY)
    assert.strictEqual(stub.reads, reads)
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* refusal(callers), "service-banned")
  })

  it.effect("is read again after a change by this process", function* () {
    const { callers, rows, set } = yield* given
    yield* callers.authenticate(KEY)
    set("services", "s", { banned: true })
    yield* callers.refresh
    assert.strictEqual(yield* refusal(callers), "service-banned")
    rows.keys = {}
    yield* callers.refresh
    assert.strictEqual(yield* refusal(callers), "unknown-key")
  })

  it.effect("is known from its first request until its key is no longer valid", function* () {
    const { callers, rows, stub } = yield* given
    assert.isFalse(callers.isKnown(KEY))
    yield* callers.authenticate(KEY)
    const { reads } = stub
    yield* callers.refresh
    yield* TestClock.adjust("1 day")
    assert.isTrue(callers.isKnown(KEY.toUpperCase()))
    assert.strictEqual(stub.reads, reads)

    rows.keys = {}
    yield* refusal(callers)
    assert.isFalse(callers.isKnown(KEY))
  })

  it.effect("stays known while strangers send many wrong keys", function* () {
    const { callers } = yield* given
    yield* callers.authenticate(KEY)
    for (let count = 0; count < 10_000; count++) yield* refusal(callers, randomUUID())
    assert.isTrue(callers.isKnown(KEY))
  })

  it.effect("is not cached when it changed during the read", function* () {
    const { callers, stub, set } = yield* given
    const resume = yield* Deferred.make<void>()
    stub.before = Deferred.await(resume)
    const slow = yield* Effect.forkChild(callers.authenticate(KEY), { startImmediately: true })
    stub.before = Effect.void
    yield* callers.refresh
    yield* Deferred.succeed(resume, undefined)
    yield* Fiber.join(slow)
    set("services", "s", { banned: true })

    assert.strictEqual(yield* refusal(callers), "service-banned")
  })

  it.effect("waits for a read model that is behind, and fails when that takes too long", function* () {
    const { callers, stub } = yield* given
    stub.ready = Effect.fail(new ReadModelsError({ operation: "awaitPosition", reason: "behind" }))
    assert.strictEqual((yield* Effect.flip(callers.authenticate(KEY)))._tag, "ReadModelsError")
    stub.ready = Effect.void
    yield* callers.authenticate(KEY)
  })

  it.effect("is not cached as unknown while the read model is unavailable", function* () {
    const { callers, stub } = yield* given
    stub.before = Effect.fail(new ReadModelsError({ operation: "get", reason: "unavailable" }))
    yield* Effect.flip(callers.authenticate(KEY))
    stub.before = Effect.void
    yield* callers.authenticate(KEY)
  })
})
