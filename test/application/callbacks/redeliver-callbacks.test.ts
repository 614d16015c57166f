import { assert, describe, it } from "../../support/it.ts"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { redeliver, type Redelivery } from "../../../application/callbacks/redeliver-callbacks.ts"
import { callbackSets } from "../../../projections/models/callbacks.ts"
import { Vault, VaultError } from "../../../ports/vault.ts"
import { ReadModels } from "../../../ports/read-models.ts"
import { type DueWork, WorkNotifier } from "../../../application/processes/work-notifier.ts"
import type { EgressRequest } from "../../../ports/egress.ts"
import { until, untilDone } from "../../support/advance-clock.ts"
import { callbackEnds, givenWorkers, type WorkerFixture } from "../processes/given-worker.ts"

const hostOf = ({ url }: EgressRequest): string => new URL(url).host

const operation = { actor: { kind: "admin", id: "cli" }, correlationId: "operation-1" } as const

const endOf: Readonly<Record<number, string>> = {
  200: "CallbackDelivered",
  400: "CallbackRejected",
  503: "CallbackAbandoned"
}

/** Ends a callback: its host answers with the given status until then. */
const ended = Effect.fnUntraced(
  function* (fixture: WorkerFixture, jobId: string, host: string, status: 200 | 400 | 503) {
    fixture.stubs.answer = () => Effect.succeed(status)
    yield* fixture.end(jobId, "{}", `https://${host}/told?token=s3cret`)
    const worker = yield* fixture.start()
    yield* callbackEnds(fixture, endOf[status] ?? "", jobId)
    yield* worker.stop
  }
)

const given = Effect.gen(function* () {
  const fixture = yield* givenWorkers
  const notified: Array<DueWork> = []
  return {
    ...fixture,
    notified,
    ended: (jobId: string, host: string, status: 200 | 400 | 503) => ended(fixture, jobId, host, status),
    redeliver: Effect.fnUntraced(function* (redelivery: Redelivery) {
      const fiber = yield* fixture.inside(redeliver(redelivery, operation)).pipe(
        Effect.provideService(WorkNotifier, (work) => Effect.sync(() => void notified.push(...work))),
        Effect.forkChild
      )
      // The redelivery waits for the projection.
      yield* untilDone(fiber)
      return yield* Fiber.join(fiber)
    }),
    /** The number of redeliveries that were requested of a callback. */
    redeliveryCount: (jobId: string) =>
      Effect.map(
        fixture.eventTypes(`callback-${jobId}`),
        (types) => types.filter((type) => type === "CallbackRedeliveryRequested").length
      )
  }
})

describe("a redelivery of many callbacks", () => {
  it.effect("to a host sends the rejected and abandoned callbacks, and no others", function* () {
    const { redeliveryCount, ended, notified, redeliver, eventTypes } = yield* given
    yield* ended("rejected", "shop.example", 400)
    yield* ended("abandoned", "shop.example", 503)
    yield* ended("delivered", "shop.example", 200)
    yield* ended("elsewhere", "shop.example:8443", 400)

    assert.strictEqual(yield* redeliver({ _tag: "AtHost", host: "shop.example" }), 2)

    const counts = yield* Effect.forEach(["rejected", "abandoned", "delivered", "elsewhere"], redeliveryCount)
    assert.deepStrictEqual(counts, [1, 1, 0, 0])
    assert.deepStrictEqual(notified.map(({ jobId }) => jobId).sort(), ["abandoned", "rejected"])
    assert.strictEqual((yield* eventTypes("callback-rejected")).at(-1), "CallbackRedeliveryRequested")
  })

  it.effect("of a period sends the callbacks that ended in it, both ends included", function* () {
    const { redeliveryCount, ended, redeliver } = yield* given
    const moments: Array<number> = []
    for (const jobId of ["early", "middle", "late"]) {
      yield* TestClock.adjust("1 hour")
      yield* ended(jobId, `${jobId}.example`, 400)
      moments.push(yield* Clock.currentTimeMillis)
    }
    const [early = 0, middle = 0] = moments
    assert.strictEqual(yield* redeliver({ _tag: "Between", from: early + 1, to: middle }), 1)
    assert.deepStrictEqual(yield* Effect.forEach(["early", "middle", "late"], redeliveryCount), [0, 1, 0])
    assert.strictEqual(yield* redeliver({ _tag: "Between", from: 0, to: Number.MAX_SAFE_INTEGER }), 2)
  })

  it.effect("is requested once until it is sent, and is 0 for a host without callbacks", function* () {
    const { redeliveryCount, ended, redeliver } = yield* given
    yield* ended("rejected", "shop.example", 400)
    const all = Effect.forEach([1, 2, 3], () => redeliver({ _tag: "AtHost", host: "shop.example" }), {
      concurrency: "unbounded"
    })
    assert.strictEqual((yield* all).reduce((sum, count) => sum + count, 0), 1)
    assert.strictEqual(yield* redeliveryCount("rejected"), 1)
    assert.strictEqual(yield* redeliver({ _tag: "AtHost", host: "other.example" }), 0)
  })

  it.effect("sends nothing for a job whose personal data was erased", function* () {
    const fixture = yield* given
    yield* fixture.ended("rejected", "shop.example", 400)
    const vault = yield* fixture.inside(Vault)
    const erased = Vault.of({ ...vault, open: () => Effect.fail(new VaultError({ reason: "forgotten" })) })
    const sent = fixture.inside(
      Effect.provideService(redeliver({ _tag: "AtHost", host: "shop.example" }, operation), Vault, erased)
    )
    const fiber = yield* Effect.forkChild(sent)
    yield* untilDone(fiber)
    assert.strictEqual(yield* Fiber.join(fiber), 0)
    assert.strictEqual(yield* fixture.redeliveryCount("rejected"), 0)
  })

  it.effect("does not send a delivered callback when the read model is behind", function* () {
    const fixture = yield* given
    yield* fixture.ended("rejected", "shop.example", 400)
    const models = yield* fixture.inside(ReadModels)
    const rejected = fixture.inside(callbackSets.endedAt("rejected", "shop.example").members())
    yield* until(Effect.map(rejected, (members) => members.length === 1))
    const stale = yield* rejected
    yield* fixture.redeliver({ _tag: "OfJob", jobId: "rejected" })
    fixture.stubs.answer = () => Effect.succeed(200)
    yield* fixture.start()
    yield* callbackEnds(fixture, "CallbackDelivered", "rejected")

    const count = redeliver({ _tag: "AtHost", host: "shop.example" }, operation).pipe(
      Effect.provideService(ReadModels, {
        ...models,
        awaitPosition: () => Effect.void,
        members: (_, set) => Effect.succeed(set.startsWith("ended:rejected") ? stale : [])
      }),
      fixture.inside
    )
    assert.strictEqual(yield* count, 0)
    assert.strictEqual(yield* fixture.redeliveryCount("rejected"), 1)
  })

  it.effect("sends every callback when there are more than a page", function* () {
    const fixture = yield* given
    const count = 503
    fixture.stubs.answer = () => Effect.succeed(400)
    for (let n = 0; n < count; n++) yield* fixture.end(`j-${n}`, "{}", "https://shop.example/told")
    const worker = yield* fixture.start()
    for (let n = 0; n < count; n++) yield* callbackEnds(fixture, "CallbackRejected", `j-${n}`)
    yield* worker.stop
    const before = fixture.sent.filter((request) => hostOf(request) === "shop.example").length

    assert.strictEqual(yield* fixture.redeliver({ _tag: "AtHost", host: "shop.example" }), count)
    assert.strictEqual(fixture.notified.length, count)
    fixture.stubs.answer = () => Effect.succeed(200)
    yield* fixture.start()
    for (let n = 0; n < count; n++) yield* callbackEnds(fixture, "CallbackDelivered", `j-${n}`)
    assert.strictEqual(fixture.sent.length - before, count)
  })
})

describe("a redelivery of one callback by an operator", () => {
  it.effect("sends a delivered callback again", function* () {
    const { redeliveryCount, ended, redeliver } = yield* given
    yield* ended("delivered", "shop.example", 200)
    assert.strictEqual(yield* redeliver({ _tag: "OfJob", jobId: "delivered" }), 1)
    assert.strictEqual(yield* redeliveryCount("delivered"), 1)
  })

  it.effect("is refused for a job that is unknown, has not ended or has no callback URL", function* () {
    const { end, enqueue, redeliver } = yield* given
    const refused = (jobId: string) => Effect.flip(redeliver({ _tag: "OfJob", jobId }))
    assert.strictEqual((yield* refused("nothing"))._tag, "JobNotFound")
    yield* enqueue("open")
    assert.deepInclude(yield* refused("open"), { _tag: "NothingToRedeliver", reason: "pending" })
    yield* enqueue("without-url", { callbackUrl: null })
    assert.strictEqual((yield* refused("without-url"))._tag, "NothingToRedeliver")
    yield* end("with-url", "{}")
    assert.strictEqual(yield* redeliver({ _tag: "OfJob", jobId: "with-url" }), 1)
  })
})
