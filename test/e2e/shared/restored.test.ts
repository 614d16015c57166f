import { assert, describe, it } from "../../support/it.ts"
import { newSlip } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { startSharedEngines } from "../../support/shared-engines.ts"

describe("a log that is restored from a backup of the server", () => {
  it.live("has what was verified before the backup, and nothing of what came after it", function* () {
    const engines = yield* startSharedEngines
    const service = yield* engines.service()
    const { mainBranch: { apiKey: key } } = yield* service.createService({ quota: 100 })
    const [before, after] = [newSlip().payload, newSlip().payload]
    yield* eventually(service.verify(key, before), ({ status }) => status === 200)
    yield* engines.log.backup
    assert.strictEqual((yield* service.verify(key, after)).status, 200)
    assert.strictEqual(yield* service.stop("SIGTERM"), 0)

    yield* engines.log.kill
    yield* engines.log.restore
    yield* engines.log.start
    yield* engines.redis.command("FLUSHALL")
    // The signatures of events that no longer exist would be reported.
    const restored = yield* engines.service({ CHECKPOINT_FILE: "" })
    const first = yield* eventually(restored.verify(key, before), ({ status }) => status === 200)
    const again = yield* restored.verify(key, after)
    assert.deepStrictEqual([first.data.isDuplicate, again.data.isDuplicate], [true, false])
    yield* eventually(
      restored.call<{ readonly branch: { readonly quota: { readonly used: number } } }>("GET", "/v2/info", { key }),
      ({ data, status }) => status === 200 && data.branch.quota.used === 2
    )
  })
})
