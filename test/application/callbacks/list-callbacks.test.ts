import { assert, describe, it } from "../../support/it.ts"
import { Context, Effect } from "effect"
import { callbacksModel } from "../../../projections/models/callbacks.ts"
import { modelName } from "../../../projections/engine/model-name.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { ReadModels } from "../../../ports/read-models.ts"
import { redeliver } from "../../../application/callbacks/redeliver-callbacks.ts"
import { type CallbacksQuery, listCallbacks } from "../../../application/callbacks/list-callbacks.ts"
import { until } from "../../support/advance-clock.ts"
import { branchId, callbackEnds, givenWorkers } from "../processes/given-worker.ts"

const query: CallbacksQuery = { state: undefined, host: undefined, cursor: undefined, limit: 50 }

/** One callback in each state, at a host named after the state, and one more that was rejected. */
const given = Effect.gen(function* () {
  const fixture = yield* givenWorkers
  const statuses: Readonly<Record<string, number>> = { delivered: 200, rejected: 410, abandoned: 503 }
  fixture.stubs.answer = ({ url }) => Effect.succeed(statuses[new URL(url).host.split(".")[0] ?? ""] ?? 500)
  for (const name of ["delivered", "rejected", "abandoned"]) {
    yield* fixture.end(name, "{}", `https://${name}.example/told?token=s3cret`)
  }
  yield* fixture.end("rejected-too", "{}", "https://rejected.example:8443/told")
  const worker = yield* fixture.start()
  yield* callbackEnds(fixture, "CallbackDelivered", "delivered")
  yield* callbackEnds(fixture, "CallbackAbandoned", "abandoned")
  yield* callbackEnds(fixture, "CallbackRejected", "rejected")
  yield* callbackEnds(fixture, "CallbackRejected", "rejected-too")
  yield* worker.stop
  yield* fixture.end("pending", "{}", "https://pending.example/told")
  const models = Context.get(fixture.engines, ReadModels)
  const caughtUp = Effect.gen(function* () {
    const head = yield* Context.get(fixture.engines, EventStore).head
    return (yield* models.checkpoint(modelName(callbacksModel))).commit >= head.commit
  })
  yield* until(caughtUp)
  const list = (more: Partial<CallbacksQuery> = {}) => fixture.inside(listCallbacks({ ...query, ...more }))
  const names = (more: Partial<CallbacksQuery>) =>
    Effect.map(list(more), ({ items }) => items.map(({ jobId }) => jobId).sort())
  return { ...fixture, caughtUp, list, names }
})

describe("the list of callbacks", () => {
  it.effect("has the state of each callback and its reason, without the query of the URL", function* () {
    const { list } = yield* given
    const { items: [dead] } = yield* list({ state: "abandoned" })
    assert.deepInclude(dead, {
      jobId: "abandoned",
      branchId,
      host: "abandoned.example",
      url: "https://abandoned.example/told",
      state: "abandoned",
      attempts: 3,
      lastStatus: 503,
      lastReason: "the receiver answered 503",
      nextAttemptAt: null,
      deliveredAt: null
    })
    assert.match(dead?.lastAttemptAt ?? "", /Z$/u)
    const { items: [pending] } = yield* list({ state: "pending" })
    assert.deepInclude(pending, { jobId: "pending", attempts: 0, lastAttemptAt: null, lastReason: null })
    assert.notInclude(JSON.stringify((yield* list()).items), "s3cret")
  })

  it.effect("is filtered by state and by host with port", function* () {
    const { names } = yield* given
    assert.deepStrictEqual(yield* names({}), ["abandoned", "delivered", "pending", "rejected", "rejected-too"])
    assert.deepStrictEqual(yield* names({ state: "rejected" }), ["rejected", "rejected-too"])
    assert.deepStrictEqual(yield* names({ state: "delivered" }), ["delivered"])
    assert.deepStrictEqual(yield* names({ host: "rejected.example" }), ["rejected"])
    assert.deepStrictEqual(yield* names({ host: "rejected.example:8443", state: "rejected" }), ["rejected-too"])
    assert.deepStrictEqual(yield* names({ host: "pending.example", state: "pending" }), ["pending"])
    assert.deepStrictEqual(yield* names({ host: "rejected.example", state: "abandoned" }), [])
  })

  it.effect("is returned in pages", function* () {
    const { list } = yield* given
    const found: Array<string> = []
    let cursor: string | undefined
    do {
      const page = yield* list({ limit: 2, cursor })
      assert.isAtMost(page.items.length, 2)
      found.push(...page.items.map(({ jobId }) => jobId))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    assert.deepStrictEqual([...found].sort(), ["abandoned", "delivered", "pending", "rejected", "rejected-too"])
  })

  it.effect("omits a callback at once when its redelivery was requested, before the read model is caught up", function* () {
    const { caughtUp, inside, names } = yield* given
    const operation = { actor: { kind: "admin", id: "cli" }, correlationId: "operation-1" } as const
    yield* inside(redeliver({ _tag: "OfJob", jobId: "abandoned" }, operation))
    assert.deepStrictEqual(yield* names({ state: "abandoned" }), [])
    yield* until(caughtUp)
    assert.deepStrictEqual(yield* names({ state: "pending" }), ["abandoned", "pending"])
  })
})
