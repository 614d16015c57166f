import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { type Client, newSlip } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { type SharedEngines, startSharedEngines } from "../../support/shared-engines.ts"
import { slipEvents } from "../../support/shared-log.ts"

type Act = (log: SharedEngines["log"], stream: string) => Effect.Effect<void>

const acts: ReadonlyArray<readonly [string, Act]> = [
  ["deleted for ever", (log, stream) => log.delete(stream)],
  ["deleted until the next append", (log, stream) => log.softDelete(stream)],
  ["truncated beyond its end", (log, stream) => log.truncate(stream, 5)]
]

const isVerified = ({ status }: { readonly status: number }) => status === 200

/** Verifies a new slip, and waits until the read models have it. */
const verifyAndList = Effect.fnUntraced(function* ({ call, verify }: Client, key: string) {
  const slip = newSlip().payload
  const { data: { verificationId } } = yield* eventually(verify(key, slip), isVerified)
  const newest = call<{ readonly items: ReadonlyArray<{ readonly verificationId: string }> }>(
    "GET",
    "/v2/verifications?limit=1",
    { key }
  )
  yield* eventually(newest, ({ data, status }) => status === 200 && data.items[0]?.verificationId === verificationId)
  assert.strictEqual((yield* call("GET", "/health/ready")).status, 200)
  return { slip, verificationId }
})

describe("a slip whose stream an operator of the event store changed", () => {
  it.live.each(acts)("is refused and not charged again, and everything else goes on: %s", function* ([, act]) {
    const engines = yield* startSharedEngines
    const service = yield* engines.service()
    const { mainBranch: { apiKey: key } } = yield* service.createService({ quota: null })
    const { slip: known, verificationId } = yield* verifyAndList(service, key)
    const stream = (yield* slipEvents(engines))[0]?.stream ?? ""

    yield* act(engines.log, stream)
    const { error, status } = yield* service.verify(key, known)
    assert.deepStrictEqual([status, error?.code], [500, "API_SERVER_ERROR"])
    for (const path of ["/v2/verifications", `/v2/verifications/${verificationId}`]) {
      const { error, status } = yield* service.call("GET", path, { key })
      assert.deepStrictEqual([path, status, error?.code], [path, 500, "API_SERVER_ERROR"])
    }
    const named = service.output().stderr.split("\n").filter((line) => line.includes(stream) && line.includes("backup"))
    assert.isNotEmpty(named)
    yield* verifyAndList(service, key)
    assert.strictEqual(yield* service.stop("SIGTERM"), 0)

    const next = yield* engines.service()
    yield* verifyAndList(next, key)
    assert.strictEqual((yield* next.verify(key, known)).status, 500)
  })
})
