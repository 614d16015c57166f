import { assert, layer } from "../../support/it.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { newSlip } from "../../support/client.ts"
import { sliptrail } from "../../support/command.ts"
import { eventually } from "../../support/eventually.ts"
import { type SharedEngines, startSharedEngines } from "../../support/shared-engines.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import type { SpawnedService } from "../../support/service.ts"

/** Two processes of the service on shared stores. The second one only answers requests. */
class Pair extends Context.Service<Pair, {
  readonly engines: SharedEngines
  readonly first: SpawnedService
  readonly second: SpawnedService
}>()("test/Pair") {}

const layerPair = Layer.effect(
  Pair,
  Effect.gen(function* () {
    const engines = yield* startSharedEngines
    const [first, second] = yield* Effect.all([engines.service(), engines.service({ ROLES: "http" })], {
      concurrency: 2
    })
    return Pair.of({ engines, first, second })
  })
)

layer.live(layerPair)("two processes on shared stores", (it) => {
  it.effect("verify a slip for the first time exactly once, and admit exactly the quota", function* () {
    const { first, second } = yield* Pair
    const { mainBranch: { apiKey } } = yield* first.createService({ quota: 12 })
    const { payload } = newSlip()
    const same = yield* Effect.forEach(
      [first, second, first, second, first, second],
      (process) => process.verify(apiKey, payload),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(same.map(({ data }) => data.isDuplicate).filter((isDuplicate) => !isDuplicate), [false])

    const slips = Array.from(
      { length: 110 },
      (_, index) => ({ process: index % 2 === 0 ? first : second, slip: newSlip() })
    )
    const answers = yield* Effect.forEach(slips, ({ process, slip }) => process.verify(apiKey, slip.payload), {
      concurrency: "unbounded"
    })
    assert.lengthOf(answers.filter(({ status }) => status === 200), 11)
    const refused = answers.filter(({ status }) => status !== 200)
    assert.deepStrictEqual(new Set(refused.map(({ error }) => error?.code)), new Set(["QUOTA_EXCEEDED"]))
  })

  it.effect("reject a key within a second after another process revoked it", function* () {
    const { first, second } = yield* Pair
    const { mainBranch: { apiKey, id } } = yield* first.createService()
    const getInfo = second.call("GET", "/v2/info", { key: apiKey })
    assert.strictEqual((yield* getInfo).status, 200)
    yield* first.admin("POST", `/branches/${id}/rotate-key`)
    const revokedAt = yield* Clock.currentTimeMillis
    let lastServedAt = revokedAt
    yield* eventually(
      Effect.tap(getInfo, ({ status }) =>
        Effect.sync(() => {
          if (status === 200) lastServedAt = Date.now()
        })),
      ({ status }) => status === 401
    )
    assert.isAtMost(lastServedAt - revokedAt, 1_000)
  })

  it.effect("reject one of several keys within a second after another process revoked it, and keep the others", function* () {
    const { first, second } = yield* Pair
    const { mainBranch: { apiKey, id } } = yield* first.createService()
    const path = `/branches/${id}/keys`
    const till = yield* first.admin<{ readonly id: string; readonly apiKey: string }>("POST", path, {
      name: "Till",
      scopes: ["verify"]
    })
    const getInfo = (key: string) => second.call("GET", "/v2/info", { key })
    yield* eventually(getInfo(till.data.apiKey), ({ status }) => status === 200)
    yield* first.admin("POST", `${path}/${till.data.id}/revoke`)
    const revokedAt = yield* Clock.currentTimeMillis
    let lastServedAt = revokedAt
    yield* eventually(
      Effect.tap(getInfo(till.data.apiKey), ({ status }) =>
        Effect.sync(() => {
          if (status === 200) lastServedAt = Date.now()
        })),
      ({ status }) => status === 401
    )
    assert.isAtMost(lastServedAt - revokedAt, 1_000)
    assert.strictEqual((yield* getInfo(apiKey)).status, 200)
  })

  it.effect("record the use of a key once a day together", function* () {
    const { first, second } = yield* Pair
    const { mainBranch: { apiKey, id } } = yield* first.createService()
    const used = Effect.map(
      first.admin<{ readonly items: ReadonlyArray<{ readonly lastUsedOn: string | null }> }>(
        "GET",
        `/branches/${id}/keys`
      ),
      ({ data }) => data.items[0]?.lastUsedOn ?? null
    )
    yield* Effect.forEach(
      Array.from({ length: 20 }, (_, index) => index % 2 === 0 ? first : second),
      (process) => process.call("GET", "/v2/info", { key: apiKey }),
      { concurrency: "unbounded" }
    )
    const day = yield* eventually(used, (day) => day !== null)
    assert.match(day ?? "", /^\d{4}-\d{2}-\d{2}$/u)
  })

  it.effect("do not start without the log's master key", function* () {
    const { engines, first } = yield* Pair
    // Something in the log must be sealed under its key.
    yield* first.createService()
    const other = { ...engines.env, MASTER_KEY: Buffer.alloc(32, 1).toString("base64") }
    const cwd = yield* temporaryFolder
    const refused = yield* sliptrail(["serve"], { cwd, env: other })
    assert.strictEqual(refused.code, 2)
    assert.match(refused.stderr, /keys do not open/u)
    const { MASTER_KEY: _, ...none } = engines.env
    const without = yield* sliptrail(["serve"], { cwd, env: none })
    assert.strictEqual(without.code, 2)
    assert.match(without.stderr, /MASTER_KEY is required/u)
  })

  it.effect("do the steps of the README, with a service that an operator creates, also after a kill", function* () {
    const { engines, first } = yield* Pair
    const { mainBranch } = yield* first.createService()
    const { apiKey: key, id: branch } = mainBranch
    const cwd = yield* temporaryFolder
    const slip = yield* sliptrail(["sandbox", "slip", "--amount", "1500.50", "--json"], { cwd, env: engines.env })
    const { payload } = JSON.parse(slip.stdout)
    assert.isFalse((yield* first.verify(key, payload)).data.isDuplicate)
    assert.isTrue((yield* first.verify(key, payload)).data.isDuplicate)
    const trail = yield* sliptrail(["trail", "show", "--branch", branch], { cwd, env: engines.env })
    assert.match(trail.stdout, /verified for the first time/u)
    assert.match(trail.stdout, /verified again, a duplicate/u)

    yield* first.stop("SIGKILL")
    const again = yield* engines.service()
    // The demo service is for one machine: processes that share stores create none.
    assert.notInclude(first.output().stdout + again.output().stdout, "demo")
    assert.isTrue((yield* again.verify(key, payload)).data.isDuplicate)
  })
})
