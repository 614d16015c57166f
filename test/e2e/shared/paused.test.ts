import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { newSlip } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { startSharedEngines } from "../../support/shared-engines.ts"
import { assertNothingLost, slipEvents } from "../../support/shared-log.ts"

/** Longer than a request waits for the log. */
const PAUSE = "3 seconds"

/** Requests of each branch that are under way when the log pauses. */
const REQUESTS = 20

describe("verifications while the log pauses for longer than they wait", () => {
  it.live("are answered rightly when they are repeated, and none is charged twice", function* () {
    const engines = yield* startSharedEngines
    const service = yield* engines.service()
    const branches = yield* Effect.all([
      service.createService({ quota: 1_000 }),
      service.createService({ quota: null })
    ])
    const keys = branches.map(({ mainBranch }) => mainBranch.apiKey)
    for (const key of keys) {
      yield* eventually(service.verify(key, newSlip().payload), ({ status }) => status === 200)
    }
    const before = (yield* slipEvents(engines)).length

    const sent = keys.flatMap((key) => Array.from({ length: REQUESTS }, () => ({ key, payload: newSlip().payload })))
    yield* engines.log.signal("SIGSTOP")
    yield* Effect.forkChild(Effect.delay(engines.log.signal("SIGCONT"), PAUSE))
    const first = yield* Effect.forEach(sent, ({ key, payload }) => service.verify(key, payload), {
      concurrency: "unbounded"
    })
    for (const { error, status } of first) if (status !== 200) assert.strictEqual(error?.code, "API_SERVER_ERROR")

    const answers = yield* Effect.forEach(
      sent,
      ({ key, payload }) => eventually(service.verify(key, payload), ({ status }) => status === 200),
      { concurrency: 8 }
    )
    for (const [index, { data }] of answers.entries()) {
      const { data: answered, status } = first[index] ?? {}
      if (status !== 200) continue
      assert.deepStrictEqual([answered?.isDuplicate, data.isDuplicate], [false, true])
    }
    const events = (yield* slipEvents(engines)).slice(before)
    assert.lengthOf(events.filter(({ data }) => data["charged"] === true), sent.length)
    yield* assertNothingLost(engines, [], 2 + sent.length)
  })
})
