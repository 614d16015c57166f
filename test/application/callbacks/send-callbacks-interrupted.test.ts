import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { EventStoreError } from "../../../ports/event-store.ts"
import { callbackLane } from "../../../projections/models/callbacks.ts"
import { until } from "../../support/advance-clock.ts"
import { body, branchId, callbackEnds, givenWorkers, textOf } from "../processes/given-worker.ts"

const laneAt = (host: string) => callbackLane(branchId, host)

describe("a callback with several processes, or after a crash", () => {
  it.effect("continues after a restart, at the time in the log", function* () {
    const fixture = yield* givenWorkers
    fixture.stubs.answer = () => Effect.succeed(503)
    const first = yield* fixture.start()
    yield* fixture.end("j-1", body)
    yield* callbackEnds(fixture, "CallbackAttemptFailed")
    yield* first.stop
    const dueAt = yield* fixture.momentOf("callback-j-1", "CallbackAttemptFailed", "nextAttemptAt")

    fixture.stubs.answer = () => Effect.succeed(200)
    yield* fixture.start()
    yield* callbackEnds(fixture, "CallbackDelivered")

    assert.strictEqual(fixture.sent.length, 2)
    assert.isAtLeast(fixture.sent[1]?.at ?? 0, dueAt)
    assert.deepStrictEqual(fixture.sent.map(textOf), [body, body])
  })

  it.effect("is sent again by another process when the sending process died before the answer", function* () {
    const fixture = yield* givenWorkers
    fixture.stubs.answer = () => Effect.never
    const dying = yield* fixture.start({ claims: fixture.claimsOfCrashedProcess })
    yield* fixture.end("j-1", body)
    yield* until(Effect.sync(() => fixture.sent.length === 1))
    const diedAt = fixture.sent[0]?.at ?? 0
    yield* dying.stop

    fixture.stubs.answer = () => Effect.succeed(200)
    yield* fixture.start()
    yield* callbackEnds(fixture, "CallbackDelivered")

    assert.deepStrictEqual(yield* fixture.eventTypes("callback-j-1", "attempt"), [
      ["CallbackScheduled", undefined],
      ["CallbackSent", 1],
      ["CallbackSent", 2],
      ["CallbackDelivered", 2]
    ])
    assert.isAtLeast(
      fixture.sent[1]?.at ?? 0,
      diedAt + 30_000,
      "the attempt may be in progress until the claim expires"
    )
    assert.deepStrictEqual(fixture.sent.map(textOf), [body, body])
  })

  it.effect("is sent once by two processes with a worker", function* () {
    const fixture = yield* givenWorkers
    const [one, other] = [yield* fixture.start(), yield* fixture.start()]
    const jobs = Array.from({ length: 40 }, (_, index) => `j-${index}`)
    for (const job of jobs) yield* fixture.end(job, body, `https://${job}.example/`)

    const work = jobs.map((jobId) => ({
      process: "callback-delivery" as const,
      lane: laneAt(`${jobId}.example`),
      jobId
    }))
    yield* Effect.all([one.notify(work), other.notify(work)])
    for (const job of jobs) yield* callbackEnds(fixture, "CallbackDelivered", job)

    assert.strictEqual(fixture.sent.length, jobs.length)
  })

  it.effect("is sent once by two processes that both assume to hold the claim", function* () {
    const fixture = yield* givenWorkers
    const granted = { claim: () => Effect.succeed(true), release: () => Effect.void }
    fixture.stubs.answer = () => Effect.delay(Effect.succeed(200), "10 millis")
    const [one, other] = [yield* fixture.start({ claims: granted }), yield* fixture.start({ claims: granted })]
    yield* fixture.end("j-1", body)
    const work = [{ process: "callback-delivery", lane: laneAt("shop.example"), jobId: "j-1" }] as const

    yield* Effect.all([one.notify(work), other.notify(work)], { concurrency: 2 })
    yield* callbackEnds(fixture, "CallbackDelivered")

    const attempts = (yield* fixture.eventTypes("callback-j-1", "attempt")).filter(([type]) => type === "CallbackSent")
    assert.strictEqual(new Set(attempts.map(([, attempt]) => attempt)).size, fixture.sent.length)
  })

  it.effect("keeps its outcome while the store is unavailable", function* () {
    const fixture = yield* givenWorkers
    let refused = 0
    fixture.stubs.answer = () =>
      Effect.sync(() => {
        fixture.logFaults.before = () =>
          refused++ < 20
            ? Effect.fail(new EventStoreError({ operation: "append", reason: "unavailable" }))
            : Effect.void
        return 200
      })
    yield* fixture.start()

    yield* fixture.end("j-1", body)
    yield* callbackEnds(fixture, "CallbackDelivered")

    assert.isAtLeast(refused, 20)
    assert.strictEqual(fixture.sent.length, 1)
  })

  it.effect("has one outcome when the answer of the store was lost", function* () {
    const fixture = yield* givenWorkers
    let lost = 0
    fixture.logFaults.after = (appended, stream) =>
      stream === "callback-j-1" && lost++ < 2
        ? Effect.fail(new EventStoreError({ operation: "append", reason: "timeout" }))
        : Effect.succeed(appended)
    yield* fixture.start()

    yield* fixture.end("j-1", body)
    yield* callbackEnds(fixture, "CallbackDelivered")

    assert.deepStrictEqual(yield* fixture.eventTypes("callback-j-1"), [
      "CallbackScheduled",
      "CallbackSent",
      "CallbackDelivered"
    ])
    assert.strictEqual(fixture.sent.length, 1)
  })
})
