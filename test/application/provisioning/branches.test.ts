import { assert, describe } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { randomUUID } from "node:crypto"
import {
  changeBranch,
  createBranch,
  rotateApiKey,
  rotateWebhookSecret,
  switchBranch
} from "../../../application/provisioning/branches.ts"
import { Callers } from "../../../application/provisioning/callers.ts"
import { Directory } from "../../../application/provisioning/directory.ts"
import { events, live, logEndsAfter, newService, operation } from "../given-application.ts"
import { types } from "../given-verifier.ts"

const refusal = (apiKey: string) =>
  Callers.use((callers) => Effect.map(Effect.flip(callers.authenticate(apiKey)), (error) => error._tag))

describe("a branch", () => {
  live("is created with its own key, quota and settings, beside the main branch", function* () {
    const { id: serviceId, mainBranch } = yield* newService({ quota: 100 })
    const settings = { quota: 7, ipWhitelist: ["10.0.0.0/8"], webhookUrl: "https://a.test/hook" }

    const branch = yield* createBranch({ serviceId, name: "Siam", settings }, operation)

    assert.deepInclude(branch, { serviceId, name: "Siam", isMain: false, isActive: true, ...settings })
    assert.notStrictEqual(branch.apiKey, mainBranch.apiKey)
    const caller = yield* (yield* Callers).authenticate(branch.apiKey)
    assert.deepInclude({ ...caller.branch }, { name: "Siam", isMain: false, ...settings })
    const names = (yield* (yield* Directory).branchesOf(serviceId)).map(({ name }) => name)
    assert.sameMembers([...names], ["Main", "Siam"])
  })

  live("gets a new key by rotation, and the old key is refused at once", function* () {
    const { mainBranch } = yield* newService()
    yield* (yield* Callers).authenticate(mainBranch.apiKey)

    const { apiKey } = yield* rotateApiKey(mainBranch.id, operation)

    assert.strictEqual(yield* refusal(mainBranch.apiKey), "CallerRefused")
    yield* (yield* Callers).authenticate(apiKey)
    assert.deepStrictEqual(types(yield* events).slice(-2), ["ApiKeyRevoked", "ApiKeyIssued"])
    assert.notInclude(JSON.stringify((yield* events).map(({ data }) => data)), apiKey)
  })

  live("keeps an imported key, which no other branch gets, also after its rotation", function* () {
    const { id: serviceId, mainBranch } = yield* newService()
    const imported = randomUUID()
    const apiKey = Redacted.make(imported)
    const create = createBranch({ serviceId, name: "Siam", settings: {}, apiKey }, operation)

    const branch = yield* create

    assert.strictEqual(branch.apiKey, imported)
    assert.deepInclude({ ...yield* (yield* Callers).authenticate(imported) }, { branchId: branch.id })
    assert.strictEqual((yield* Effect.flip(create))._tag, "ApiKeyInUse")
    yield* rotateApiKey(branch.id, operation)
    yield* rotateApiKey(mainBranch.id, operation)
    const count = (yield* events).length
    for (const key of [imported, mainBranch.apiKey]) {
      const apiKey = Redacted.make(key)
      const again = createBranch({ serviceId, name: "B", settings: {}, apiKey }, operation)
      assert.strictEqual((yield* Effect.flip(again))._tag, "ApiKeyInUse")
      assert.strictEqual((yield* Effect.flip(newService({ apiKey })))._tag, "ApiKeyInUse")
      assert.strictEqual(yield* refusal(key), "CallerRefused")
    }
    assert.lengthOf(yield* events, count)
    assert.notInclude(JSON.stringify((yield* events).map(({ data, stream }) => [stream, data])), imported)
  })

  live("is created once by concurrent imports of one key", function* () {
    const { id: serviceId } = yield* newService()
    const imported = randomUUID()
    const apiKey = Redacted.make(imported)
    const asBranch = Effect.asVoid(createBranch({ serviceId, name: "B", settings: {}, apiKey }, operation))
    const asService = Effect.asVoid(newService({ apiKey }))

    const results = yield* Effect.all(
      [asBranch, asService, asBranch, asService, asService, asBranch].map((create) => Effect.result(create)),
      { concurrency: "unbounded" }
    )

    assert.lengthOf(results.filter(Result.isSuccess), 1)
    assert.deepStrictEqual(
      results.flatMap((result) => Result.isFailure(result) ? [result.failure._tag] : []),
      Array(5).fill("ApiKeyInUse")
    )
    yield* (yield* Callers).authenticate(imported)
  })

  live("keeps its key when the rotation can't be appended", function* () {
    const { mainBranch } = yield* newService()
    yield* logEndsAfter(0)
    assert.strictEqual((yield* Effect.flip(rotateApiKey(mainBranch.id, operation)))._tag, "EventStoreError")
    yield* (yield* Callers).authenticate(mainBranch.apiKey)
  })

  live("gets a new webhook secret, with an overlap of a day by default", function* () {
    const { mainBranch } = yield* newService()
    const first = yield* rotateWebhookSecret(mainBranch.id, operation)
    const second = yield* rotateWebhookSecret(mainBranch.id, operation, 0)

    assert.notStrictEqual(first.secret, mainBranch.webhookSecret)
    assert.notStrictEqual(second.secret, first.secret)
    assert.strictEqual(Date.parse(first.previousExpiresAt) - Date.parse(first.effectiveAt), 86_400_000)
    assert.strictEqual(second.previousExpiresAt, second.effectiveAt)
    assert.notInclude(JSON.stringify((yield* events).map(({ data }) => data)), first.secret)
  })

  live("is deactivated at once, and activated again", function* () {
    const { mainBranch } = yield* newService()
    assert.isFalse((yield* switchBranch(mainBranch.id, "inactive", operation)).isActive)
    assert.strictEqual(yield* refusal(mainBranch.apiKey), "CallerRefused")
    const before = (yield* events).length
    yield* switchBranch(mainBranch.id, "inactive", operation)
    assert.lengthOf(yield* events, before)
    assert.isTrue((yield* switchBranch(mainBranch.id, "active", operation)).isActive)
    yield* (yield* Callers).authenticate(mainBranch.apiKey)
  })

  live("can't be changed when it does not exist", function* () {
    const errors = [
      yield* Effect.flip(changeBranch("nothing", { name: "B" }, operation)),
      yield* Effect.flip(switchBranch("nothing", "active", operation)),
      yield* Effect.flip(rotateApiKey("nothing", operation)),
      yield* Effect.flip(rotateWebhookSecret("nothing", operation))
    ]
    for (const { _tag } of errors) assert.strictEqual(_tag, "BranchNotFound")
    assert.deepStrictEqual(yield* events, [])
  })
})
