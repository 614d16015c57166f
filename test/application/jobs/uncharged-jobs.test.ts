import { assert, describe, it } from "../../support/it.ts"
import { Context, Effect } from "effect"
import { TestClock } from "effect/testing"
import { SlipUnknown, UpstreamUnavailable } from "../../../application/verification/ask-bank.ts"
import { AttemptFailed } from "../../../application/verification/verify-slip.ts"
import { UnchargedLimiter } from "../../../ports/uncharged-limiter.ts"
import { until } from "../../support/advance-clock.ts"
import { newSlip } from "../../support/client.ts"
import { givenIntakeWith, slipToEnqueue } from "../given-intake.ts"
import { callerOf } from "../given-verifier.ts"
import { givenWorkers, verified } from "../processes/given-worker.ts"

const silom = callerOf({ branchId: "silom" })
const siam = callerOf({ branchId: "siam" })
const asked = { gateway: "stub", gatewayMillis: 12, upstream: null, askedBefore: [] }

/** Runs a job whose slip is verified, and returns what it took from the allowances. */
const owedAfterSuccess = Effect.fnUntraced(function* (charged: boolean) {
  const { enqueue, eventTypes, owed, start, stubs } = yield* givenWorkers
  stubs.attempt = ({ verificationId }) => Effect.succeed({ ...verified(verificationId), charged })
  yield* start()
  yield* enqueue("j-1")
  yield* until(Effect.map(eventTypes("callback-j-1"), (types) => types.at(-1) === "CallbackDelivered"))
  return owed
})

describe("a job that has ended", () => {
  it.effect("takes nothing from the allowances when it is charged", function* () {
    assert.deepStrictEqual(yield* owedAfterSuccess(true), [])
  })

  it.effect("takes a repeat when its branch had verified the slip before", function* () {
    assert.deepStrictEqual(yield* owedAfterSuccess(false), ["repeat"])
  })

  it.effect("takes one failure when it found no slip, however many attempts it made", function* () {
    const { attempts, enqueue, eventTypes, owed, start, stubs } = yield* givenWorkers
    const unavailable = new UpstreamUnavailable({ why: "it is down", retryAfterSeconds: 1, asked })
    const unknown = new SlipUnknown({ reason: "unknown-bank", asked: null })
    stubs.attempt = () =>
      Effect.fail(new AttemptFailed({ failure: attempts.length < 3 ? unavailable : unknown, slipDigest: "d1" }))
    yield* start()
    yield* enqueue("j-1")
    yield* until(Effect.map(eventTypes("job-j-1"), (types) => types.at(-1) === "JobNotFound"))
    yield* until(Effect.sync(() => owed.length > 0))
    assert.lengthOf(attempts, 3)
    assert.deepStrictEqual(owed, ["failure"])
  })
})

describe("a branch whose jobs took more than its allowance", () => {
  for (const kind of ["repeat", "failure"] as const) {
    it.effect(`cannot enqueue slips until it no longer owes a ${kind}, and other branches can`, function* () {
      const { enqueue, enqueueBatch, events, ports } = yield* givenIntakeWith({ [kind]: 2 })
      const { owe } = Context.get(ports, UnchargedLimiter)
      const enqueueNew = (jobId: string, caller = silom) => enqueue(jobId, slipToEnqueue(newSlip().payload), caller)

      for (let times = 0; times < 2; times++) yield* owe(kind, "silom")
      yield* enqueueNew("j-1")
      yield* owe(kind, "silom")
      const stored = yield* events
      const refused = yield* Effect.flip(enqueueNew("j-2"))
      assert.deepInclude({ ...refused }, { _tag: "UnchargedLimitExceeded", kind, retryAfterSeconds: 86_400 })
      yield* Effect.flip(enqueueBatch("b-1", [slipToEnqueue(newSlip().payload)], silom))
      assert.deepStrictEqual(yield* events, stored)

      yield* enqueueNew("j-3", siam)
      yield* TestClock.adjust("12 hours")
      yield* enqueueNew("j-2")
    })
  }

  it.effect("owes at most the allowance of a day", function* () {
    const { ports } = yield* givenIntakeWith({ failure: 2 })
    const { checkDebt, owe } = Context.get(ports, UnchargedLimiter)
    for (let times = 0; times < 100; times++) yield* owe("failure", "silom")
    yield* TestClock.adjust("36 hours")
    yield* checkDebt("silom")
  })
})
