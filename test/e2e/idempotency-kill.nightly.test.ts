import { assert, describe, it } from "../support/it.ts"
import { Effect, Exit } from "effect"
import { randomUUID } from "node:crypto"
import { rmSync } from "node:fs"
import { join } from "node:path"
import type { info } from "../../application/provisioning/info.ts"
import { modelsFile } from "../../infrastructure/runtime/data-folder.ts"
import { type Answer, newSlip, type Verified } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { type SpawnedService, spawnService } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

type Info = Effect.Success<ReturnType<typeof info>>

const SLIPS = 120
const LANES = 12
const KILLS = 3

interface Order {
  readonly key: string
  readonly payload: string
}

const send = ({ call }: SpawnedService, apiKey: string, { key, payload }: Order) =>
  call<Verified>("POST", "/v2/verify/bank", { key: apiKey, headers: { "idempotency-key": key }, body: { payload } })

/** Sends the orders in several lanes until all are answered or the service is gone; `onAnswer` may kill it. */
const sendAll = Effect.fnUntraced(function* (
  service: SpawnedService,
  apiKey: string,
  orders: ReadonlyArray<Order>,
  onAnswer: (answers: number) => Effect.Effect<void>
) {
  const answered = new Map<string, Answer<Verified>>()
  const remaining = orders.values()
  const lane = Effect.gen(function* () {
    for (let next = remaining.next(); next.done !== true; next = remaining.next()) {
      const exit = yield* Effect.exit(send(service, apiKey, next.value))
      if (Exit.isFailure(exit)) return
      answered.set(next.value.key, exit.value)
      yield* onAnswer(answered.size)
    }
  })
  yield* Effect.all(Array.from({ length: LANES }, () => lane), { concurrency: "unbounded" })
  return answered
})

describe("requests with an Idempotency-Key under kill -9", () => {
  it.live("get the same answer when repeated, are charged once and are never duplicates", function* () {
    const dataDir = join(yield* temporaryFolder, "data")
    const orders = Array.from({ length: SLIPS }, () => ({ key: randomUUID(), payload: newSlip().payload }))
    const answers = new Map<string, string>()
    let apiKey = ""
    for (let kill = 0; kill < KILLS; kill++) {
      const service = yield* spawnService(dataDir)
      if (kill === 0) apiKey = (yield* service.createService({ quota: SLIPS })).mainBranch.apiKey
      const answersBeforeKill = 7 + 11 * kill
      const remaining = orders.slice(kill * 30)
      const answered = yield* sendAll(
        service,
        apiKey,
        remaining,
        (count) => count === answersBeforeKill ? Effect.asVoid(service.stop("SIGKILL")) : Effect.void
      )
      assert.isAtLeast(answered.size, answersBeforeKill)
      for (const [key, { text }] of answered) {
        assert.strictEqual(text, answers.get(key) ?? text, "an answer changed")
        answers.set(key, text)
      }
    }

    // Deletes the read models too, because the log alone stores what an idempotency key stands for.
    rmSync(modelsFile(dataDir))
    const service = yield* spawnService(dataDir)
    for (const order of orders) {
      const answer = yield* eventually(send(service, apiKey, order), ({ status }) => status !== 500)
      assert.strictEqual(answer.status, 200, answer.text)
      assert.isFalse(answer.data.isDuplicate, "a repeated request became a duplicate")
      assert.strictEqual(answer.text, answers.get(order.key) ?? answer.text)
    }
    const { data } = yield* eventually(
      service.call<Info>("GET", "/v2/info", { key: apiKey }),
      ({ data: { branch } }) => branch.quota.used === SLIPS
    )
    assert.strictEqual(data.branch.quota.remaining, 0)
    yield* service.stop("SIGTERM")
  })
})
