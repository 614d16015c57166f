import { assert, describe, it } from "../../../../support/it.ts"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeCircuit } from "../../../../../infrastructure/adapters/banks/upstream/circuit.ts"
import {
  gatewayFailed,
  GatewayFailure,
  refused,
  slipFailed
} from "../../../../../infrastructure/adapters/banks/upstream/gateway.ts"

const given = (account: Effect.Effect<void, GatewayFailure> = Effect.void) => {
  const changes: Array<boolean> = []
  let calls = 0
  const circuit = makeCircuit({
    title: "SCB",
    probeAccount: account,
    onChange: (failure) => Effect.sync(() => void changes.push(failure !== undefined))
  })
  const ask = (answer: Effect.Effect<string, GatewayFailure>, slip = "a slip") =>
    Effect.exit(circuit.protect(
      Effect.suspend(() => {
        calls++
        return answer
      }),
      slip
    ))
  return { ask, calls: () => calls, changes, circuit }
}

const success = Effect.succeed("well")
const failure = Effect.fail(gatewayFailed("down"))
const unusable = Effect.fail(slipFailed("unclear", null))

const failingTimes = (times: number) => Effect.forEach(Array.from({ length: times }), () => Effect.succeed(failure))

describe("a circuit", () => {
  const opened = Effect.gen(function* () {
    const it = given()
    for (const answer of yield* failingTimes(5)) yield* it.ask(answer)
    return it
  })

  it.effect("sends a probe when the clock was set back", function* () {
    yield* TestClock.setTime(365 * 86_400_000)
    const { ask, calls, changes } = yield* opened
    yield* TestClock.setTime(0)
    yield* ask(success)
    assert.strictEqual(calls(), 6)
    assert.deepStrictEqual(changes, [true, false])
  })

  it.effect("opens after five consecutive failures, then fails at once and states the delay", function* () {
    const { ask, calls, changes } = given()
    for (const answer of yield* failingTimes(4)) yield* ask(answer)
    yield* ask(success)
    for (const answer of yield* failingTimes(4)) yield* ask(answer)
    assert.deepStrictEqual(changes, [])
    yield* ask(failure)
    assert.deepStrictEqual(changes, [true])
    assert.strictEqual(calls(), 10)

    yield* TestClock.adjust("2500 millis")
    const exit = yield* ask(success)

    assert.strictEqual(calls(), 10)
    assert(Exit.isFailure(exit))
    const error = yield* Effect.flip(exit)
    assert.deepInclude(error, { retryAfterSeconds: 8, concerns: "gateway" })
  })

  it.effect("does not open for unusable answers about a slip", function* () {
    const { ask, calls } = given()
    for (let times = 0; times < 20; times++) yield* ask(unusable)
    assert.strictEqual(calls(), 20)
  })

  it.effect("lets one probe through after ten seconds and closes when it succeeds", function* () {
    const { ask, calls, changes } = yield* opened
    yield* TestClock.adjust("9999 millis")
    yield* ask(success)
    assert.strictEqual(calls(), 5)

    yield* TestClock.adjust("1 millis")
    const answer = Deferred.makeUnsafe<string>()
    const probe = yield* Effect.forkChild(ask(Deferred.await(answer)), { startImmediately: true })
    for (let times = 0; times < 3; times++) yield* ask(success)
    assert.strictEqual(calls(), 6)

    yield* Deferred.succeed(answer, "well")
    yield* Fiber.join(probe)
    yield* ask(success)
    assert.strictEqual(calls(), 7)
    assert.deepStrictEqual(changes, [true, false])
  })

  it.effect("stays open for another ten seconds when the probe fails", function* () {
    const { ask, calls, changes } = yield* opened
    yield* TestClock.adjust("10 seconds")
    yield* ask(failure)
    assert.strictEqual(calls(), 6)

    yield* TestClock.adjust("9999 millis")
    yield* ask(success)
    assert.strictEqual(calls(), 6)
    yield* TestClock.adjust("1 millis")
    yield* ask(success)
    assert.strictEqual(calls(), 7)
    assert.deepStrictEqual(changes, [true, false])
  })

  it.effect("lets another probe through when the first one was interrupted", function* () {
    const { ask, calls } = yield* opened
    yield* TestClock.adjust("10 seconds")
    const probe = yield* Effect.forkChild(ask(Effect.never), { startImmediately: true })
    yield* Fiber.interrupt(probe)

    assert.isTrue(Exit.isSuccess(yield* ask(success)))
    assert.strictEqual(calls(), 7)
  })

  it.effect("ignores requests that began before it opened and end after it", function* () {
    const { ask, changes, circuit } = given()
    const early = Deferred.makeUnsafe<string, GatewayFailure>()
    const late = Deferred.makeUnsafe<string, GatewayFailure>()
    const fibers = yield* Effect.forEach(
      [early, late],
      (answer) => Effect.forkChild(ask(Deferred.await(answer)), { startImmediately: true })
    )
    for (const answer of yield* failingTimes(5)) {
      yield* ask(answer)
    }

    yield* TestClock.adjust("5 seconds")
    yield* Deferred.succeed(early, "well")
    yield* Deferred.fail(late, gatewayFailed("down"))
    yield* Effect.forEach(fibers, Fiber.join)

    assert.deepStrictEqual(changes, [true])
    assert.strictEqual(circuit.openMillis(5_000), 5_000)
  })

  it.effect("opens at once for ten minutes when the account is refused, then asks about the account first", function* () {
    let accountAnswer: Effect.Effect<void, GatewayFailure> = Effect.fail(refused("quota", "no questions are left"))
    let probes = 0
    const { ask, calls, changes } = given(Effect.suspend(() => {
      probes++
      return accountAnswer
    }))
    yield* ask(Effect.fail(refused("quota", "no questions are left")))
    assert.deepStrictEqual([changes, calls()], [[true], 1])

    yield* TestClock.adjust("599 seconds")
    const whileOpen = yield* Effect.flip(yield* ask(success))
    assert.deepInclude(whileOpen, { refusal: "quota", why: "SCB was not asked: no questions are left" })
    yield* TestClock.adjust("1 second")
    yield* ask(success)
    assert.deepStrictEqual([probes, calls()], [1, 1])

    accountAnswer = Effect.void
    yield* TestClock.adjust("600 seconds")
    assert.isTrue(Exit.isSuccess(yield* ask(success)))
    assert.deepStrictEqual([probes, calls(), changes], [2, 2, [true, false]])
  })

  it.effect("keeps the refusal of an account while its probes have no answer, and probes every ten seconds", function* () {
    let accountAnswer: Effect.Effect<void, GatewayFailure> = failure
    const { ask, calls, changes, circuit } = given(Effect.suspend(() => accountAnswer))
    yield* ask(Effect.fail(refused("quota", "no questions are left")))

    yield* TestClock.adjust("600 seconds")
    yield* ask(success)
    assert.deepStrictEqual([calls(), circuit.pause(600_000)], [1, { cause: "quota", leftMillis: 10_000 }])

    accountAnswer = Effect.void
    for (const _ of [1, 2, 3, 4, 5]) {
      yield* TestClock.adjust("10 seconds")
      yield* ask(failure)
    }
    const whileOpen = yield* Effect.flip(yield* ask(success))
    assert.deepInclude(whileOpen, { refusal: "quota", why: "SCB was not asked: no questions are left" })
    assert.deepStrictEqual([calls(), changes], [6, [true]])

    yield* TestClock.adjust("10 seconds")
    yield* ask(success)
    assert.deepStrictEqual(changes, [true, false])
  })

  const behind = Effect.fail(
    new GatewayFailure({
      why: "the bank behind is down",
      retryAfterSeconds: 30,
      upstream: null,
      concerns: "source"
    })
  )

  it.effect("counts the failure of a source behind the gateway once for each slip", function* () {
    const { ask, changes } = given()
    for (let times = 0; times < 20; times++) yield* ask(behind, "004:one")
    for (const slip of ["two", "three", "four"]) yield* ask(behind, `004:${slip}`)
    assert.deepStrictEqual(changes, [])
    yield* ask(success, "004:five")
    for (const slip of ["one", "two", "three", "four"]) yield* ask(behind, `004:${slip}`)
    assert.deepStrictEqual(changes, [])
    yield* ask(behind, "004:five")
    assert.deepStrictEqual(changes, [true])
  })

  it.effect("opens and closes by what is observed of the account", function* () {
    const { ask, calls, changes, circuit } = given()
    const observe = (account: Effect.Effect<void, GatewayFailure>) => Effect.exit(circuit.observe(account))
    yield* observe(Effect.fail(gatewayFailed("the account page is down")))
    yield* observe(Effect.void)
    assert.deepStrictEqual([changes, circuit.pause(0)], [[], undefined])

    yield* observe(Effect.fail(refused("quota", "no questions are left")))
    assert.deepStrictEqual([changes, circuit.pause(0)], [[true], { cause: "quota", leftMillis: 600_000 }])
    yield* ask(success)
    assert.strictEqual(calls(), 0)

    yield* observe(Effect.fail(refused("key", "the key is wrong")))
    assert.deepStrictEqual([changes, circuit.pause(0)?.cause], [[true, true], "key"])
    yield* observe(Effect.fail(gatewayFailed("the account page is down")))
    assert.strictEqual(circuit.pause(0)?.cause, "key")

    yield* observe(Effect.void)
    yield* ask(success)
    assert.deepStrictEqual([changes, calls()], [[true, true, false], 1])
  })

  it.effect("is not closed by an accepted account after failures of the gateway", function* () {
    const { changes, circuit } = yield* opened
    yield* circuit.observe(Effect.void)
    assert.deepStrictEqual(changes, [true])
    assert.deepStrictEqual(circuit.pause(4_000), { cause: "failures", leftMillis: 6_000 })
    assert.deepStrictEqual(circuit.pause(10_000), { cause: "failures", leftMillis: 0 })
  })
})
