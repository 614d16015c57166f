import { assert, describe, it } from "../../support/it.ts"
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { load } from "../../../application/events/handle-command.ts"
import {
  changeBranch,
  createBranch,
  rotateApiKey,
  webhookSecretPurpose
} from "../../../application/provisioning/branches.ts"
import { Callers } from "../../../application/provisioning/callers.ts"
import { createKey, revokeKey } from "../../../application/provisioning/keys.ts"
import { Directory } from "../../../application/provisioning/directory.ts"
import {
  changeAccount,
  changeService,
  createAccount,
  patchService
} from "../../../application/provisioning/services.ts"
import { branches, streamOf } from "../../../domain/events/aggregates.ts"
import { Vault } from "../../../ports/vault.ts"
import { withVisibility } from "../../../application/provisioning/operator-command.ts"
import { events, layerWithoutProjector, live, logEndsAfter, newService, operation } from "../given-application.ts"
import { types } from "../given-verifier.ts"

const test = it.effect.with(() => layerWithoutProjector)

describe("a service", () => {
  live("is created with a verified account and a main branch, whose key works at once", function* () {
    const service = yield* newService({ quota: 100 })

    assert.deepInclude(service, { name: "Shop", plan: "standard", quota: 100, isActive: true, isBanned: false })
    const caller = yield* (yield* Callers).authenticate(service.mainBranch.apiKey)
    assert.deepInclude({ ...caller }, { serviceId: service.id, branchId: service.mainBranch.id })
    const account = yield* (yield* Directory).account(service.accountId)
    assert.deepInclude(account, { name: "Shop", email: null, isVerified: true })
    const log = yield* events
    assert.strictEqual(types(log).at(-1), "ServiceCreated")
    for (const { metadata } of log) {
      assert.deepInclude(metadata, { actor: operation.actor, correlationId: "operation-1", schema: 1 })
    }
  })

  live("has no key, secret or owner in plain text in the log", function* () {
    const { id } = yield* createAccount({ name: "Somchai Jaidee", email: "somchai@example.com" }, operation)
    const { mainBranch } = yield* newService({ accountId: id })

    const text = JSON.stringify((yield* events).map(({ data, stream }) => [stream, data]))
    const secrets = [mainBranch.apiKey, mainBranch.webhookSecret, "Somchai", "somchai@example.com"]
    for (const secret of secrets) assert.notInclude(text, secret)
    assert.deepInclude(
      yield* (yield* Directory).account(id),
      { name: "Somchai Jaidee", email: "somchai@example.com" }
    )
  })

  live("belongs to the given account, and is not created for an unknown account", function* () {
    const { id } = yield* createAccount({ name: null, email: null }, operation)
    const { accountId, mainBranch } = yield* newService({ accountId: id })
    assert.strictEqual(accountId, id)
    const refused = yield* Effect.flip((yield* Callers).authenticate(mainBranch.apiKey))
    assert.deepInclude({ ...refused }, { reason: "account-not-verified" })
    yield* changeAccount(id, { _tag: "VerifyAccount" }, operation)
    yield* (yield* Callers).authenticate(mainBranch.apiKey)

    const before = (yield* events).length
    const error = yield* Effect.flip(newService({ accountId: "unknown" }))
    assert.strictEqual(error._tag, "AccountNotFound")
    assert.lengthOf(yield* events, before)
  })

  for (const appends of [0, 1, 2, 3]) {
    live(`does not exist when its creation stops after ${appends} steps, and can be created again`, function* () {
      yield* logEndsAfter(appends)
      assert.strictEqual((yield* Effect.flip(newService()))._tag, "EventStoreError")
      assert.notInclude(types(yield* events), "ServiceCreated")
      assert.deepStrictEqual((yield* (yield* Directory).services({ limit: 10 })).items, [])

      yield* logEndsAfter(Infinity)
      const { id } = yield* newService()
      assert.deepStrictEqual((yield* (yield* Directory).services({ limit: 10 })).items.map((one) => one.id), [id])
    })
  }

  for (const appends of [0, 1, 2, 3]) {
    live(`keeps an imported key, also when its first creation stops after ${appends} steps`, function* () {
      const apiKey = Redacted.make("0b9f1a52-6d53-4f0e-8e3b-2f5a1c7d9e44")
      yield* logEndsAfter(appends)
      assert.strictEqual((yield* Effect.flip(newService({ apiKey })))._tag, "EventStoreError")

      yield* logEndsAfter(Infinity)
      const { id, mainBranch } = yield* newService({ apiKey })
      assert.strictEqual(mainBranch.apiKey, Redacted.value(apiKey))
      const caller = yield* (yield* Callers).authenticate(mainBranch.apiKey)
      assert.deepInclude({ ...caller }, { serviceId: id, branchId: mainBranch.id })
      const { state } = yield* load(branches, streamOf.branch(mainBranch.id))
      const secret = state.webhookSecret ?? assert.fail("the branch has no webhook secret")
      assert.strictEqual(yield* (yield* Vault).open(webhookSecretPurpose, secret), mainBranch.webhookSecret)
      assert.strictEqual((yield* Effect.flip(newService({ apiKey })))._tag, "ApiKeyInUse")
    })
  }

  live(
    "is changed field by field: absent fields stay, null clears, and the quota is that of the main branch",
    function* () {
      const { id, mainBranch } = yield* newService({ quota: 5, expiresAt: "2027-01-01T00:00:00.000Z" })
      assert.deepInclude(yield* patchService(id, { plan: "big" }, operation), {
        plan: "big",
        name: "Shop",
        quota: 5,
        expiresAt: "2027-01-01T00:00:00.000Z"
      })
      assert.deepInclude(
        yield* patchService(id, { expiresAt: null, quota: null }, operation),
        { expiresAt: null, quota: null }
      )
      assert.deepInclude(yield* (yield* Directory).branch(mainBranch.id), { quota: null })
      assert.deepInclude(yield* patchService(id, { quota: 0 }, operation), { quota: 0, plan: "big" })
    }
  )

  live("handles each command once: a repetition changes nothing and appends nothing", function* () {
    const { accountId, id, mainBranch } = yield* newService({ quota: 5 })
    const repeated = [
      changeService(id, { _tag: "BanService", reason: "fraud" }, operation),
      changeService(id, { _tag: "UnbanService" }, operation),
      changeService(id, { _tag: "DeactivateService" }, operation),
      changeService(id, { _tag: "ActivateService" }, operation),
      patchService(id, { name: "New", quota: 7 }, operation),
      changeAccount(accountId, { _tag: "BanAccount", reason: null }, operation),
      changeAccount(accountId, { _tag: "UnbanAccount" }, operation),
      changeBranch(mainBranch.id, { ipWhitelist: ["10.0.0.1"], webhookUrl: "https://a.test/" }, operation),
      changeService(id, { _tag: "DeleteService" }, operation)
    ]
    for (const command of repeated) {
      const first: unknown = yield* command
      const before = (yield* events).length
      const second: unknown = yield* command
      assert.deepStrictEqual(second, first)
      assert.lengthOf(yield* events, before)
    }
  })

  live("rejects every command but the deletion, and new branches, after it was deleted", function* () {
    const { id } = yield* newService()
    yield* changeService(id, { _tag: "DeleteService" }, operation)
    const before = (yield* events).length
    const errors = [
      yield* Effect.flip(changeService(id, { _tag: "UnbanService" }, operation)),
      yield* Effect.flip(patchService(id, { name: "New" }, operation)),
      yield* Effect.flip(createBranch({ serviceId: id, name: "B", settings: {} }, operation))
    ]
    for (const { _tag } of errors) assert.strictEqual(_tag, "ServiceNotFound")
    assert.lengthOf(yield* events, before)
  })

  live("can't be changed or get a branch when it does not exist", function* () {
    assert.strictEqual(
      (yield* Effect.flip(patchService("nothing", { name: "New" }, operation)))._tag,
      "ServiceNotFound"
    )
    const error = yield* Effect.flip(createBranch({ serviceId: "nothing", name: "B", settings: {} }, operation))
    assert.strictEqual(error._tag, "ServiceNotFound")
    assert.deepStrictEqual(yield* events, [])
  })
})

/** Runs a change for as long as it waits for a read model that no process updates. */
const unseen = <A, E, R>(change: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const running = yield* Effect.forkChild(withVisibility(change))
    yield* TestClock.adjust("3 seconds")
    return yield* Fiber.join(running)
  })

describe("a key while no process projects the log", () => {
  test("is known at once to the process that issued it, until it is revoked", function* () {
    const callers = yield* Callers
    const { value: { id, mainBranch } } = yield* unseen(newService())
    const caller = yield* callers.authenticate(mainBranch.apiKey)
    assert.deepInclude({ ...caller }, { serviceId: id, branchId: mainBranch.id })

    const { value: till } = yield* unseen(
      createKey(mainBranch.id, { name: "Till", scopes: ["verify"] }, operation)
    )
    assert.deepStrictEqual((yield* callers.authenticate(till.apiKey)).key.scopes, ["verify"])
    yield* unseen(revokeKey(mainBranch.id, till.id, operation))
    const refused = yield* Effect.flip(callers.authenticate(till.apiKey))
    assert.deepInclude({ ...refused }, { reason: "unknown-key" })

    const { value: { apiKey } } = yield* unseen(rotateApiKey(mainBranch.id, operation))
    yield* callers.authenticate(apiKey)
    yield* Effect.flip(callers.authenticate(mainBranch.apiKey))

    yield* unseen(changeService(id, { _tag: "BanService", reason: "test" }, operation))
    assert.deepInclude({ ...yield* Effect.flip(callers.authenticate(apiKey)) }, { reason: "service-banned" })
  })
})

describe("a change while no process projects the log", () => {
  test("succeeds, returns the new state, and says that requests do not see it yet", function* () {
    const created = yield* unseen(newService({ quota: 5 }))
    assert.deepInclude(created.value, { name: "Shop", quota: 5 })
    const { id, mainBranch } = created.value
    const patched = yield* unseen(patchService(id, { name: "Kiosk", quota: 7 }, operation))
    assert.deepInclude(patched.value, { name: "Kiosk", quota: 7 })
    const branch = yield* unseen(changeBranch(mainBranch.id, { quota: 9 }, operation))
    assert.deepInclude(branch.value, { quota: 9 })
    assert.deepStrictEqual([created, patched, branch].map(({ isVisible }) => isVisible), [false, false, false])
  })

  live("is visible at once when a projector runs", function* () {
    assert.isTrue((yield* withVisibility(newService())).isVisible)
  })
})
