import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { startCallbackReceiver } from "../../support/callback-receiver.ts"
import { newSlip } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import type { StreamLimits } from "../../support/eventstore-server/log.ts"
import { startSharedEngines } from "../../support/shared-engines.ts"
import { allEvents } from "../../support/shared-log.ts"

const acts: ReadonlyArray<readonly [string, StreamLimits]> = [
  ["$maxCount, with the last event left", { maxCount: 1 }],
  ["$maxAge, with no event left", { maxAgeMillis: 1_000 }]
]

const kindOf = (stream: string): string => stream.split("-")[0] ?? ""

describe("streams whose events an operator of the event store limits", () => {
  it.live.each(acts)("refuse what needs their older events, each with its name in the log: %s", function* ([, limits]) {
    const engines = yield* startSharedEngines
    const receiver = yield* startCallbackReceiver()
    const service = yield* engines.service(receiver.env)
    const { accountId, id: serviceId, mainBranch: { apiKey: key, id: branchId } } = yield* service.createService()
    const { payload } = newSlip()
    yield* eventually(service.verify(key, payload), ({ status }) => status === 200)
    yield* service.verify(key, payload)
    const { data: { id: accountOfBank } } = yield* service.call<{ readonly id: string }>(
      "POST",
      "/v2/bank-accounts",
      {
        key,
        body: { bankCode: "004", bankNumber: "4821907356", nameTh: "ร้านกาแฟ", nameEn: "COFFEE HOUSE" }
      }
    )
    yield* service.admin("PATCH", `/bank-accounts/${accountOfBank}`, { nameEn: "COFFEE" })
    yield* service.admin("PATCH", `/services/${serviceId}`, { name: "Kiosk" })
    yield* service.admin("PATCH", `/branches/${branchId}`, { name: "Front" })
    for (const name of ["nok", "lek"]) yield* service.admin("POST", "/operators", { name, role: "auditor" })
    const { data: { jobId } } = yield* service.call<{ readonly jobId: string }>("POST", "/v2/verify/bank/async", {
      key,
      body: { payload: newSlip().payload, callbackUrl: receiver.url }
    })
    yield* eventually(
      Effect.sync(() => receiver.arrivals.length),
      (count) => count === 1
    )
    // Its outcome is recorded after it was sent.
    const written = yield* eventually(
      allEvents(engines),
      (events) => events.filter(({ stream }) => stream === `callback-${jobId}`).length > 1
    )
    const streams = new Set(written.map(({ stream }) => stream))
    for (const stream of streams) yield* engines.log.limit(stream, limits)

    const newest = Math.max(...written.map(({ recordedAt }) => recordedAt))
    yield* eventually(Effect.sync(Date.now), (now) => now > newest + (limits.maxAgeMillis ?? 0))
    const requests = [
      ["branch", service.admin("PATCH", `/branches/${branchId}`, { name: "Back" })],
      ["service", service.admin("PATCH", `/services/${serviceId}`, { name: "Stall" })],
      ["account", service.admin("POST", `/accounts/${accountId}/ban`)],
      ["bankAccount", service.admin("PATCH", `/bank-accounts/${accountOfBank}`, { nameEn: "TEA" })],
      ["operators", service.admin("POST", "/operators", { name: "pim", role: "auditor" })],
      ["slip", service.verify(key, payload)],
      ["job", service.call("GET", `/v2/verify/bank/jobs/${jobId}`, { key })],
      ["callback", service.admin("POST", "/callbacks/redeliver", { jobId })]
    ] as const
    for (const [kind, request] of requests) {
      const { error, status } = yield* request
      assert.deepStrictEqual([kind, status, error?.code], [kind, 500, "API_SERVER_ERROR"])
    }
    const { stderr } = service.output()
    // The redelivery of a callback reads its job first.
    const named = requests.map(([kind]) => kind === "callback" ? "job" : kind)
    for (const kind of new Set(named)) {
      const stream = [...streams].find((each) => kindOf(each) === kind) ?? ""
      const lines = stderr.split("\n").filter((line) => line.includes(stream) && line.includes("backup"))
      assert.lengthOf(lines, named.filter((each) => each === kind).length, kind)
    }

    const go = eventually(service.verify(key, newSlip().payload), ({ status }) => status === 200)
    yield* go
    assert.strictEqual(yield* service.stop("SIGTERM"), 0)
    const next = yield* engines.service(receiver.env)
    yield* eventually(next.verify(key, newSlip().payload), ({ status }) => status === 200)
    assert.strictEqual((yield* next.call("GET", "/health/ready")).status, 200)
    assert.strictEqual((yield* next.verify(key, payload)).status, 500)
  })
})
