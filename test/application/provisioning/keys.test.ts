import { assert, describe, it } from "../../support/it.ts"
import { Effect, Result } from "effect"
import { Callers } from "../../../application/provisioning/callers.ts"
import { createKey, listKeys, revokeKey, rotateKey } from "../../../application/provisioning/keys.ts"
import { withVisibility } from "../../../application/provisioning/operator-command.ts"
import { branchActor } from "../../../domain/actor.ts"
import { MAX_KEYS } from "../../../domain/branch-keys.ts"
import { events, layerWithoutProjector, live, logEndsAfter, newService, operation } from "../given-application.ts"

const authenticated = (apiKey: string) =>
  Callers.use((callers) => Effect.map(Effect.result(callers.authenticate(apiKey)), Result.isSuccess))

const till = { name: "Till", scopes: ["verify"] } as const

describe("the keys of a branch", () => {
  live("authenticate as the branch, each with its own limits and actor", function* () {
    const { mainBranch: { id } } = yield* newService()
    const { apiKey, id: keyId } = yield* createKey(id, { ...till, networks: ["203.0.113.0/24"] }, operation)
    const { actor, branchId, key } = yield* (yield* Callers).authenticate(apiKey)
    assert.strictEqual(branchId, id)
    assert.deepStrictEqual(actor, branchActor(id, keyId))
    assert.deepInclude({ ...key }, { scopes: ["verify"], networks: ["203.0.113.0/24"], endsAt: Infinity })
  })

  live("are stored as digests alone", function* () {
    const { mainBranch: { id } } = yield* newService()
    const { apiKey, id: keyId } = yield* createKey(id, till, operation)
    const rotated = yield* rotateKey(id, keyId, operation)
    const log = JSON.stringify((yield* events).map(({ data, stream }) => [stream, data]))
    for (const key of [apiKey, rotated.apiKey]) assert.notInclude(log, key)
  })

  live("stay as they are when a rotation or a revocation can't be appended", function* () {
    const { mainBranch: { id } } = yield* newService()
    const { apiKey, id: keyId } = yield* createKey(id, till, operation)
    yield* logEndsAfter(0)
    for (const change of [rotateKey(id, keyId, operation, 0), revokeKey(id, keyId, operation)]) {
      assert.strictEqual((yield* Effect.flip(change))._tag, "EventStoreError")
    }
    assert.isTrue(yield* authenticated(apiKey))
  })

  live("are at most the limit, also when requests race", function* () {
    const { mainBranch: { id } } = yield* newService()
    for (let count = 0; count < MAX_KEYS - 3; count++) yield* createKey(id, till, operation)
    const results = yield* Effect.forEach(
      [1, 2, 3, 4, 5, 6],
      () => Effect.result(createKey(id, till, operation)),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(results.filter(Result.isSuccess), 2)
  })

  live("are listed in pages, each key once", function* () {
    const { mainBranch: { id } } = yield* newService()
    for (let count = 0; count < 4; count++) yield* createKey(id, till, operation)
    const first = yield* listKeys(id, { limit: 3 })
    const second = yield* listKeys(id, { limit: 3, cursor: first.nextCursor ?? "" })
    const ids = [...first.items, ...second.items].map(({ id }) => id)
    assert.strictEqual(new Set(ids).size, 5)
    assert.isNull(second.nextCursor)
  })

  it.live("are created without a projector, and say that requests do not see them yet", () =>
    Effect.gen(function* () {
      const { mainBranch: { id } } = yield* newService()
      const { isVisible, value } = yield* withVisibility(createKey(id, till, operation))
      assert.isFalse(isVisible)
      assert.deepInclude({ ...value }, { name: "Till", state: "active", lastUsedOn: null })
    }).pipe(Effect.provide(layerWithoutProjector)))
})
