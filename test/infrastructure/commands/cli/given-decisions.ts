import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { newSlip } from "../../../support/client.ts"
import { layerRunningService, RunningService } from "../../../support/service.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"

interface IssuedKey {
  readonly id: string
  readonly apiKey: string
}

/**
 * The data folder of a stopped service in which something was decided: a branch with a quota of three that is used up, a
 * policy, a revoked key, a receiving account, and another account that was deactivated.
 */
export const givenDecisions = Effect.gen(function* () {
  const env = { DATA_DIR: join(yield* temporaryFolder, "data"), CHECKPOINT_EVENTS: "4" }
  const given = yield* Effect.gen(function* () {
    const { admin, call, createService, verify } = yield* RunningService
    const { mainBranch } = yield* createService({ quota: 3 })
    const { apiKey: key, id: branchId } = mainBranch
    const path = `/branches/${branchId}`
    const issued = yield* admin<IssuedKey>("POST", `${path}/keys`, { name: "till", scopes: ["verify"] })
    assert.strictEqual(issued.status, 201, issued.text)
    const revoked = yield* admin("POST", `${path}/keys/${issued.data.id}/revoke`)
    assert.strictEqual(revoked.status, 200, revoked.text)
    const policy = yield* admin("PUT", `${path}/policy`, { amount: { atMost: 50 } })
    assert.strictEqual(policy.status, 200, policy.text)
    const account = { bankCode: "004", bankNumber: "123-4-56789-0", nameTh: "บริษัท กาแฟดี จำกัด" }
    const active = yield* call<{ readonly id: string }>("POST", "/v2/bank-accounts", { key, body: account })
    assert.strictEqual(active.status, 201, active.text)
    const other = { ...account, bankNumber: "987-6-54321-0" }
    const inactive = yield* call<{ readonly id: string }>("POST", "/v2/bank-accounts", { key, body: other })
    assert.strictEqual((yield* call("DELETE", `/v2/bank-accounts/${inactive.data.id}`, { key })).status, 200)
    const slip = newSlip().payload
    for (const payload of [slip, newSlip().payload, newSlip().payload]) {
      const verified = yield* verify(key, payload)
      assert.strictEqual(verified.status, 200, verified.text)
    }
    return {
      branchId,
      key,
      slip,
      revokedKey: issued.data.apiKey,
      accountId: active.data.id,
      inactiveId: inactive.data.id
    }
  }).pipe(Effect.provide(layerRunningService(env)))
  return { ...given, env, file: (name: string) => join(env.DATA_DIR, name) }
})
