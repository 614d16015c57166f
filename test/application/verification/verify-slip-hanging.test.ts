import { assert, describe, it } from "../../support/it.ts"
import { Clock, Duration, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { eventStoreLimits } from "../../../infrastructure/runtime/stores.ts"
import { EventStoreError } from "../../../ports/event-store.ts"
import { newSlip } from "../../support/client.ts"
import { givenVerifier } from "../given-verifier.ts"

const LIMIT_MILLIS = 5_000
const appendMillis = Duration.toMillis(eventStoreLimits.appendTimeout)
const readMillis = Duration.toMillis(eventStoreLimits.readTimeout)

/** A call of the log that gets no answer within its limit. */
const hangs = (operation: string, millis: number) =>
  Effect.delay(Effect.fail(new EventStoreError({ operation, reason: "timeout" })), millis)

/** How long a request takes by the test clock; fails when it takes longer than five seconds. */
const timeOf = Effect.fnUntraced(function* <A, E>(request: Effect.Effect<A, E>) {
  const begun = yield* Clock.currentTimeMillis
  const ended = Effect.flatMap(
    Effect.exit(request),
    (exit) => Effect.map(Clock.currentTimeMillis, (now) => ({ exit, millis: now - begun }))
  )
  const fiber = yield* Effect.forkChild(ended, { startImmediately: true })
  yield* TestClock.adjust(LIMIT_MILLIS)
  assert.isDefined(fiber.pollUnsafe(), "it is not answered within five seconds")
  return yield* Fiber.join(fiber)
})

describe("a verification while the log hangs", () => {
  it.effect("fails within five seconds when nothing can be read", function* () {
    const { logFaults, verify } = yield* givenVerifier
    logFaults.read = () => hangs("readStream", readMillis)
    const { exit, millis } = yield* timeOf(verify(newSlip().payload))
    assert.isTrue(Exit.isFailure(exit))
    assert.isAtLeast(millis, readMillis)
  })

  it.effect("fails within five seconds when nothing can be appended, and each read takes its whole limit", function* () {
    const { logFaults, verify } = yield* givenVerifier
    logFaults.read = () => Effect.sleep(readMillis)
    logFaults.before = () => hangs("append", appendMillis)
    const { exit, millis } = yield* timeOf(verify(newSlip().payload))
    assert.isTrue(Exit.isFailure(exit))
    assert.isAtLeast(millis, readMillis + appendMillis)
  })
})
