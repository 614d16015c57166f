import { assert, describe, it } from "@effect/vitest"
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

/** Sends the orders in several lanes until nobody answers any more; `onAnswer` may see to that. */
const sendAll = Effect.fnUntraced(function* (
  service: SpawnedService,
  apiKey: string,
  orders: ReadonlyArray<Order>,
  onAnswer: (answers: number) => Effect.Effect<void>
) {
  const told = new Map<string, Answer<Verified>>()
  const next = orders.values()
  const lane = Effect.gen(function* () {
    for (let one = next.next(); one.done !== true; one = next.next()) {
      const exit = yield* Effect.exit(send(service, apiKey, one.value))
      if (Exit.isFailure(exit)) return
      told.set(one.value.key, exit.value)
      yield* onAnswer(told.size)
    }
  })
  yield* Effect.all(Array.from({ length: LANES }, () => lane), { concurrency: "unbounded" })
  return told
})

describe("requests with an Idempotency-Key under kill -9", () => {
  it.live(
    "sent again are answered as the first time, charged once and never duplicates",
    () =>
      Effect.gen(function* () {
        const dataDir = join(yield* temporaryFolder, "data")
        const orders = Array.from({ length: SLIPS }, () => ({ key: randomUUID(), payload: newSlip().payload }))
        const answers = new Map<string, string>()
        let apiKey = ""
        for (let kill = 0; kill < KILLS; kill++) {
          const service = yield* spawnService(dataDir)
          if (kill === 0) apiKey = (yield* service.createService({ quota: SLIPS })).mainBranch.apiKey
          const enough = 7 + 11 * kill
          const rest = orders.slice(kill * 30)
          const told = yield* sendAll(
            service,
            apiKey,
            rest,
            (count) => count === enough ? Effect.asVoid(service.stop("SIGKILL")) : Effect.void
          )
          assert.isAtLeast(told.size, enough)
          for (const [key, { text }] of told) {
            assert.strictEqual(text, answers.get(key) ?? text, "an answer changed")
            answers.set(key, text)
          }
        }

        // The read models are gone too: what a key stands for is in the log.
        rmSync(modelsFile(dataDir))
        const service = yield* spawnService(dataDir)
        for (const order of orders) {
          const answer = yield* eventually(send(service, apiKey, order), ({ status }) => status !== 500)
          assert.strictEqual(answer.status, 200, answer.text)
          assert.isFalse(answer.data.isDuplicate, "a request that was sent again became a duplicate")
          assert.strictEqual(answer.text, answers.get(order.key) ?? answer.text)
        }
        const { data } = yield* eventually(
          service.call<Info>("GET", "/v2/info", { key: apiKey }),
          ({ data: { branch } }) => branch.quota.used === SLIPS
        )
        assert.strictEqual(data.branch.quota.remaining, 0)
        yield* service.stop("SIGTERM")
      })
  )
})
