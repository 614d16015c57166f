import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { redeliverAnyCallback, redeliverCallback } from "../../../application/callbacks/redeliver-callbacks.ts"
import { type DueWork, WorkNotifier } from "../../../application/processes/work-notifier.ts"
import { isoTime } from "../../../domain/time.ts"
import { Vault, VaultError } from "../../../ports/vault.ts"
import { callbackLane } from "../../../projections/models/callbacks.ts"
import { callbackOf } from "../given-callback.ts"
import { givenIntake, slipToEnqueue } from "../given-intake.ts"
import { types } from "../given-verifier.ts"

const at = Date.parse("2026-11-21T05:00:00.000Z")
const jobId = "0f8fad5b-d9cb-4f69-a165-70867728950e"
const operation = { actor: { kind: "branch", id: "branch-1" }, correlationId: "request-1" } as const

const given = Effect.gen(function* () {
  const intake = yield* givenIntake
  yield* TestClock.setTime(at)
  const notified: Array<DueWork> = []
  const redeliver = (branchId = "branch-1") =>
    redeliverCallback(jobId, branchId, operation).pipe(
      Effect.provide(intake.ports),
      Effect.provideService(WorkNotifier, (work) => Effect.sync(() => void notified.push(...work)))
    )
  const events = Effect.map(intake.events, (all) => types(all.filter(({ stream }) => stream.startsWith("callback-"))))
  return { ...intake, ...callbackOf(intake, jobId), redeliver, notified, callbackEvents: events }
})

const slip = slipToEnqueue("x", { callbackUrl: "https://shop.example/told" })

describe("a redelivery", () => {
  it.effect("reopens a rejected callback and notifies the worker", function* () {
    const { callbackEvents, endJob, enqueue, notified, record, redeliver, send } = yield* given
    yield* enqueue(jobId, slip)
    yield* endJob(jobId, at)
    yield* send(1, at)
    yield* record(1, at, { _tag: "Rejected", status: 400, tookMillis: 1 })
    yield* TestClock.adjust("1 hour")

    const { callback } = yield* redeliver()

    assert.deepInclude(callback, { state: "pending", attempts: 1, nextAttemptAt: isoTime(at + 3_600_000) })
    assert.strictEqual((yield* callbackEvents).at(-1), "CallbackRedeliveryRequested")
    assert.deepStrictEqual(notified, [{
      process: "callback-delivery",
      lane: callbackLane("branch-1", "shop.example"),
      jobId
    }])
  })

  it.effect("is requested once until it is sent", function* () {
    const { callbackEvents, endJob, enqueue, record, redeliver, send } = yield* given
    yield* enqueue(jobId, slip)
    yield* endJob(jobId, at)
    yield* send(1, at)
    yield* record(1, at, { _tag: "Delivered", status: 200, tookMillis: 1 })
    yield* redeliver()
    yield* redeliver()
    assert.lengthOf((yield* callbackEvents).filter((type) => type === "CallbackRedeliveryRequested"), 1)
  })

  it.effect("changes nothing when the callback was never sent, because it is due", function* () {
    const { callbackEvents, endJob, enqueue, notified, redeliver } = yield* given
    yield* enqueue(jobId, slip)
    yield* endJob(jobId, at)
    assert.deepInclude((yield* redeliver()).callback, { state: "pending", nextAttemptAt: isoTime(at) })
    assert.deepStrictEqual(yield* callbackEvents, [])
    assert.lengthOf(notified, 1)
  })

  it.effect("is refused for a job that has not ended or has no callback URL", function* () {
    const { enqueue, notified, redeliver } = yield* given
    yield* enqueue(jobId, slip)
    assert.deepInclude(yield* Effect.flip(redeliver()), { _tag: "NothingToRedeliver", reason: "pending" })
    const other = yield* given
    yield* other.enqueue(jobId, slipToEnqueue("x"))
    yield* other.endJob(jobId, at)
    assert.deepInclude(yield* Effect.flip(other.redeliver()), { _tag: "NothingToRedeliver", reason: "no-url" })
    assert.deepStrictEqual([...notified, ...other.notified], [])
  })

  it.effect("is refused when the personal data of the job was erased, because nothing is left to send", function* () {
    const { callbackEvents, endJob, enqueue, notified, ports } = yield* given
    yield* enqueue(jobId, slip)
    yield* endJob(jobId, at)
    const refused = Effect.gen(function* () {
      const vault = yield* Vault
      const erased = Vault.of({ ...vault, open: () => Effect.fail(new VaultError({ reason: "forgotten" })) })
      return yield* Effect.flip(Effect.provideService(redeliverCallback(jobId, "branch-1", operation), Vault, erased))
    }).pipe(Effect.provide(ports))
    assert.deepInclude(yield* refused, { _tag: "NothingToRedeliver", reason: "erased" })
    assert.deepStrictEqual([yield* callbackEvents, notified], [[], []])
  })

  it.effect("is possible only for an operator when the job has expired for its branch", function* () {
    const { callbackEvents, endJob, enqueue, ports, record, redeliver, send } = yield* given
    yield* enqueue(jobId, slip)
    yield* endJob(jobId, at)
    yield* send(1, at)
    yield* record(1, at, { _tag: "Delivered", status: 200, tookMillis: 1 })
    yield* TestClock.adjust("8 days")
    assert.strictEqual((yield* Effect.flip(redeliver()))._tag, "JobNotFound")

    const { callback } = yield* Effect.provide(redeliverAnyCallback(jobId, operation), ports)
    assert.deepInclude(callback, { state: "pending", attempts: 1 })
    assert.strictEqual((yield* callbackEvents).at(-1), "CallbackRedeliveryRequested")
  })

  it.effect("fails as for an unknown job when the job belongs to another branch", function* () {
    const { endJob, enqueue, redeliver } = yield* given
    assert.strictEqual((yield* Effect.flip(redeliver()))._tag, "JobNotFound")
    yield* enqueue(jobId, slip)
    yield* endJob(jobId, at)
    assert.strictEqual((yield* Effect.flip(redeliver("branch-2")))._tag, "JobNotFound")
  })
})
