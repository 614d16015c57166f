import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { startCallbackReceiver } from "../../support/callback-receiver.ts"
import { newSlip } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { startSharedEngines } from "../../support/shared-engines.ts"

describe("a process on shared stores that was killed and comes back", () => {
  it.live("projects and delivers without waiting for its own leases, and answers admin changes meanwhile", function* () {
    const { redis, service } = yield* startSharedEngines
    const receiver = yield* startCallbackReceiver()
    const before = yield* service(receiver.env)
    yield* before.createService()
    const leases = yield* eventually(
      redis.command("KEYS", "sliptrail:*:lease") as Effect.Effect<ReadonlyArray<string>>,
      (keys) => keys.some((key) => key.includes("branches")) && keys.some((key) => key.includes("reconciler"))
    )
    yield* before.stop("SIGKILL")
    // Another process would have to wait for an hour.
    for (const key of leases) yield* redis.command("PEXPIRE", key, 3_600_000)

    const after = yield* service(receiver.env)
    const { mainBranch: { apiKey: key } } = yield* after.createService({ quota: 5 })
    yield* eventually(after.call("GET", "/v2/info", { key }), ({ status }) => status === 200)
    const { status, text } = yield* after.call("POST", "/v2/verify/bank/async", {
      key,
      body: { payload: newSlip().payload, callbackUrl: receiver.url }
    })
    assert.strictEqual(status, 202, text)
    yield* eventually(Effect.sync(() => receiver.arrivals.length), (arrived) => arrived === 1)
  })
})
