import { assert, describe, it } from "../support/it.ts"
import { Effect } from "effect"
import { join } from "node:path"
import { temporaryFolder } from "../support/temporary-folder.ts"
import { payloadOf } from "../../bench/http/rendered.ts"
import { makePeerService } from "../../bench/peers/peer-service.ts"
import { openSqliteStore } from "../../bench/peers/sqlite-store.ts"

const apiKey = "key"

const startPeer = Effect.fnUntraced(function* (quota: number) {
  const file = join(yield* temporaryFolder, "peer.db")
  const app = yield* Effect.acquireRelease(
    Effect.sync(() => makePeerService(openSqliteStore(file, { apiKey, quota }))),
    (started) => Effect.promise(() => started.close())
  )
  return (payload: string, authorization: string = `Bearer ${apiKey}`) =>
    Effect.promise(async () => {
      const headers = { authorization }
      const answer = await app.inject({ method: "POST", url: "/v2/verify/bank", headers, payload: { payload } })
      return { status: answer.statusCode, body: answer.json() }
    })
})

describe("the SQLite peer of the benchmark", () => {
  it.effect("answers the first verification with the slip, and a repeat as a duplicate", function* () {
    const verify = yield* startPeer(10)
    const payload = payloadOf(1)
    const first = yield* verify(payload)
    const repeat = yield* verify(payload)
    assert.deepStrictEqual([first.status, first.body.data.isDuplicate], [200, false])
    assert.deepStrictEqual([first.body.data.rawSlip.payload, first.body.data.amountInSlip], [payload, 1500.5])
    assert.deepStrictEqual([repeat.status, repeat.body.data.isDuplicate], [200, true])
  })

  it.effect("admits exactly the quota, and charges nothing for a repeat", function* () {
    const verify = yield* startPeer(2)
    const statuses = yield* Effect.forEach(
      [1, 1, 2, 3, 2],
      (number) => Effect.map(verify(payloadOf(number)), ({ status }) => status)
    )
    assert.deepStrictEqual(statuses, [200, 200, 200, 403, 200])
  })

  it.effect("refuses a missing key, a wrong key, a text that is no slip, and a slip that the bank does not know", function* () {
    const verify = yield* startPeer(10)
    const refused = yield* Effect.all([
      verify(payloadOf(1), ""),
      verify(payloadOf(1), "Bearer another"),
      verify("no slip"),
      verify(payloadOf(1, "not-found"))
    ])
    assert.deepStrictEqual(
      refused.map(({ body, status }) => [status, body.error.code]),
      [[401, "MISSING_API_KEY"], [401, "INVALID_API_KEY"], [400, "INVALID_PAYLOAD"], [404, "SLIP_NOT_FOUND"]]
    )
  })
})
