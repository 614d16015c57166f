import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { newSlip } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { type SharedEngines, startSharedEngines } from "../../support/shared-engines.ts"
import { slipEvents } from "../../support/shared-log.ts"

interface Outage {
  readonly name: string
  readonly begin: (engines: SharedEngines) => Effect.Effect<void>
  readonly end: (engines: SharedEngines) => Effect.Effect<void>
}

const outages: ReadonlyArray<Outage> = [
  { name: "the event store has stopped", begin: ({ log }) => log.kill, end: ({ log }) => log.start },
  {
    name: "the event store hangs",
    begin: ({ log }) => log.signal("SIGSTOP"),
    end: ({ log }) => log.signal("SIGCONT")
  },
  { name: "Redis has stopped", begin: ({ redis }) => redis.stop(), end: ({ redis }) => redis.start },
  { name: "Redis hangs", begin: ({ redis }) => redis.pause, end: ({ redis }) => redis.resume }
]

describe("requests during an outage of a store", () => {
  it.live.each(outages)("are answered while it lasts, and succeed again afterwards: $name", function* ({ begin, end }) {
    const engines = yield* startSharedEngines
    const service = yield* engines.service()
    const [limited, unlimited] = yield* Effect.all([
      service.createService({ quota: 1_000 }),
      service.createService({ quota: null })
    ])
    const known = newSlip().payload
    yield* eventually(service.verify(limited.mainBranch.apiKey, known), ({ status }) => status === 200)

    yield* begin(engines)
    const keys = [limited, unlimited].map(({ mainBranch }) => mainBranch.apiKey)
    const requests = keys.flatMap((key) => [
      service.verify(key, known),
      service.verify(key, newSlip().payload),
      service.call("GET", "/v2/info", { key }),
      ...Array.from({ length: 4 }, () => service.verify(key, known))
    ])
    const answers = yield* Effect.all(requests, { concurrency: "unbounded" })
    const ids = answers.filter(({ status }) => status === 200).map(({ data }) => data)
    for (const { error, headers, status, success } of answers) {
      if (status === 200) continue
      assert.deepStrictEqual({ status, success, code: error?.code }, {
        status: 500,
        success: false,
        code: "API_SERVER_ERROR"
      })
      assert.isNotNull(headers.get("retry-after"))
    }
    assert.strictEqual((yield* service.call("GET", "/health/live")).status, 200)
    assert.strictEqual((yield* service.call("GET", "/health/ready")).status, 503)

    yield* end(engines)
    for (const key of keys) yield* eventually(service.verify(key, known), ({ status }) => status === 200)
    assert.strictEqual(
      (yield* eventually(service.call("GET", "/health/ready"), ({ status }) => status === 200)).status,
      200
    )
    assert.isAtLeast((yield* slipEvents(engines)).length, 1 + ids.length)
    assert.strictEqual(yield* service.stop("SIGTERM"), 0)
  })
})
