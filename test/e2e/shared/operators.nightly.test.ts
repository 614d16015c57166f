import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { newOperator } from "../../support/operators.ts"
import { startSharedEngines } from "../../support/shared-engines.ts"
import { assertModelsEqual } from "../../support/shared-log.ts"
import { getPage, signedIn } from "../console/given-console.ts"

describe("the operators of several processes on shared stores", () => {
  it.live("are known in each process at once, with their roles and sessions, and refused at once after removal", function* () {
    const engines = yield* startSharedEngines
    const [first, second] = yield* Effect.all([
      engines.service({ ROLES: "http,projector" }),
      engines.service({ ROLES: "http" })
    ])
    const key = yield* newOperator(first, "nok", "support")
    const me = (service: typeof first) => service.call<{ readonly role: string }>("GET", "/admin/v1/me", { key })
    for (const service of [second, first]) assert.strictEqual((yield* me(service)).data.role, "support")
    assert.strictEqual((yield* first.admin("POST", "/operators/nok/role", { role: "auditor" })).status, 200)
    assert.strictEqual((yield* me(second)).data.role, "auditor")

    const cookie = yield* signedIn(second.baseUrl, key)
    const statusIn = (service: typeof first) =>
      Effect.map(getPage(service.baseUrl, "/console/operators", { cookie }), ({ status }) => status)
    assert.deepStrictEqual([yield* statusIn(first), yield* statusIn(second)], [200, 200])
    const sessions = yield* first.admin<{ readonly items: ReadonlyArray<{ readonly operator: string }> }>(
      "GET",
      "/sessions"
    )
    assert.deepStrictEqual(sessions.data.items.map(({ operator }) => operator), ["nok"])

    assert.strictEqual((yield* first.admin("POST", "/operators/nok/remove")).status, 200)
    for (const service of [second, first]) {
      assert.strictEqual((yield* me(service)).status, 401)
      assert.strictEqual(yield* statusIn(service), 303)
    }
    yield* assertModelsEqual(engines)
  })

  it.live("keep their last known state while the event store is away, and ADMIN_TOKEN needs no event store", function* () {
    const engines = yield* startSharedEngines
    const [first, second] = yield* Effect.all([
      engines.service({ ROLES: "http,projector" }),
      engines.service({ ROLES: "http" })
    ])
    const key = yield* newOperator(first, "nok", "support")
    const me = (service: typeof first) =>
      Effect.map(Effect.timeout(service.call("GET", "/admin/v1/me", { key }), "5 seconds"), ({ status }) => status)
    assert.strictEqual(yield* me(first), 200)
    yield* engines.log.kill
    assert.strictEqual(yield* me(first), 200)
    // This process has not read the operators yet.
    assert.strictEqual(yield* me(second), 500)
    assert.strictEqual((yield* second.admin("GET", "/me")).status, 200)
  })
})
