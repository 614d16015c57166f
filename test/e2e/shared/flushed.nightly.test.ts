import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { eventually } from "../../support/eventually.ts"
import { startLoad } from "../../support/load.ts"
import { startSharedEngines } from "../../support/shared-engines.ts"
import { assertExpectedCodes, assertModelsEqual, assertNothingLost, slipEvents } from "../../support/shared-log.ts"

describe("several processes on shared stores, when Redis loses its data", () => {
  it.live("rebuild their read models after FLUSHALL, and admit exactly the quota", function* () {
    const engines = yield* startSharedEngines
    const first = yield* engines.service({ ROLES: "http" })
    const second = yield* engines.service()
    const { mainBranch } = yield* second.createService({ quota: 100 })
    const load = yield* startLoad(() => [first, second], mainBranch.apiKey)

    yield* load.more(40)
    yield* engines.redis.command("FLUSHALL")
    yield* load.more(30)
    yield* engines.redis.command("FLUSHALL")
    yield* load.untilCode("QUOTA_EXCEEDED")
    yield* load.stop
    // Units that were held at FLUSHALL, or lost before their release, are available within the next minute.
    const last = yield* startLoad(() => [first, second], mainBranch.apiKey, 1)
    const charged = Effect.map(slipEvents(engines), (events) => events.filter(({ data }) => data["charged"]).length)
    yield* eventually(charged, (count) => count >= 100)
    yield* last.untilCode("QUOTA_EXCEEDED")
    yield* last.stop

    const answers = [...load.answers, ...last.answers]
    assertExpectedCodes(answers)
    yield* assertNothingLost(engines, answers, 100)
    assert.strictEqual(yield* charged, 100)
    yield* assertModelsEqual(engines)
  })
})
