import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { newSlip, type Verified } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import type { SpawnedService } from "../../support/service.ts"
import { startSharedEngines } from "../../support/shared-engines.ts"

const send = ({ call }: SpawnedService, apiKey: string, idempotencyKey: string, payload: string) =>
  call<Verified>("POST", "/v2/verify/bank", {
    key: apiKey,
    headers: { "idempotency-key": idempotencyKey },
    body: { payload }
  })

describe("requests with an Idempotency-Key to several processes", () => {
  it.live("run once across processes, even after Redis has lost its data", function* () {
    const engines = yield* startSharedEngines
    const first = yield* engines.service()
    const second = yield* engines.service({ ROLES: "http" })
    const apiKey = (yield* first.createService({ quota: 100 })).mainBranch.apiKey
    const both = [first, second]

    for (let round = 0; round < 10; round++) {
      const key = randomUUID()
      const { payload } = newSlip()
      const sent = Array.from({ length: 10 }, (_, index) => send(both[index % 2] ?? first, apiKey, key, payload))
      const answers = yield* Effect.all(sent, { concurrency: "unbounded" })
      const successes = answers.filter(({ status }) => status === 200)
      assert.isNotEmpty(successes, answers[0]?.text)
      assert.lengthOf(new Set(successes.map(({ text }) => text)), 1)
      for (const { error, status, text } of answers) {
        if (status !== 200) assert.strictEqual(error?.code, "IDEMPOTENCY_IN_PROGRESS", text)
      }
    }

    const key = randomUUID()
    const { payload } = newSlip()
    const answered = yield* send(first, apiKey, key, payload)
    yield* engines.redis.command("FLUSHALL")
    const again = yield* eventually(send(second, apiKey, key, payload), ({ status }) => status === 200)
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    assert.strictEqual(again.text, answered.text)
    const other = yield* eventually(send(first, apiKey, key, newSlip().payload), ({ status }) => status !== 500)
    assert.strictEqual(other.error?.code, "IDEMPOTENCY_KEY_REUSED", other.text)

    // After the loss no unit is admitted for some seconds. A request that the quota engine stopped keeps its key.
    const fresh = randomUUID()
    yield* send(first, apiKey, fresh, newSlip().payload)
    const changed = yield* eventually(send(first, apiKey, fresh, newSlip().payload), ({ status }) => status !== 500)
    assert.strictEqual(changed.error?.code, "IDEMPOTENCY_KEY_REUSED", changed.text)
  })
})
