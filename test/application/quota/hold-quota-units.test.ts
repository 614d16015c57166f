import { assert, describe, it } from "../../support/it.ts"
import { Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import { type HeldUnits, holdQuotaUnits } from "../../../application/quota/hold-quota-units.ts"
import { Quota, QuotaError, type Reservation } from "../../../ports/quota.ts"

const reservation: Reservation = { limits: [{ set: "month", limit: 5 }], reservationIds: ["verification-1"] }

/** A quota engine that admits until the test says otherwise, and the calls that it received. */
const given = Effect.gen(function* () {
  const calls: Array<string> = []
  const engine: {
    reserve: Effect.Effect<"reserved" | "exceeded", QuotaError>
    confirm: Effect.Effect<void, QuotaError>
    release: Effect.Effect<void, QuotaError>
  } = { reserve: Effect.succeed("reserved"), confirm: Effect.void, release: Effect.void }
  const quota = Quota.of({
    reserve: ({ limits, reservationIds }) =>
      Effect.suspend(() => {
        calls.push(`reserve ${reservationIds.join()} of ${limits.map(({ limit }) => limit).join()}`)
        return engine.reserve
      }),
    confirm: ({ reservationIds }) =>
      Effect.suspend(() => {
        calls.push(`confirm ${reservationIds.join()}`)
        return engine.confirm
      }),
    release: ({ reservationIds }) =>
      Effect.suspend(() => {
        calls.push(`release ${reservationIds.join()}`)
        return engine.release
      }),
    usage: () => Effect.succeed([])
  })
  const serviceScope = yield* Scope.make()
  const hold = <A, E>(
    use: (held: HeldUnits) => Effect.Effect<A, E>,
    wasCharged: Effect.Effect<boolean, string> = Effect.succeed(true),
    limits = reservation.limits
  ) =>
    Effect.scopedWith((scope) =>
      Effect.flatMap(
        holdQuotaUnits({
          reservation: { ...reservation, limits },
          wasCharged: () => wasCharged,
          scope,
          serviceScope
        }),
        use
      )
    ).pipe(
      Effect.provideService(Quota, quota)
    )
  /** An append whose result says whether it charged the unit. */
  const appends = (charged: boolean | undefined) => (held: HeldUnits) =>
    held.charge("verification-1", (beforeAppend = Effect.void) => Effect.as(beforeAppend, "done"), () => charged)
  return { calls, engine, hold, appends, serviceScope }
})

const failingAppend = (held: HeldUnits) =>
  Effect.exit(
    held.charge(
      "verification-1",
      (beforeAppend = Effect.void) => Effect.andThen(beforeAppend, Effect.fail("no")),
      () => true
    )
  )

describe("a held quota unit", () => {
  it.effect.each([[true, []], [false, ["release verification-1"]]] as const)(
    "is released when its scope closes, unless it was charged (charged: %s)",
    function* ([charged, released]) {
      const { appends, calls, hold } = yield* given
      assert.strictEqual(yield* hold(appends(charged)), "done")
      assert.deepStrictEqual(calls, ["reserve verification-1 of 5", ...released])
    }
  )

  it.effect("is released when the request fails or dies before the append", function* () {
    const { calls, hold } = yield* given
    yield* Effect.exit(hold(() => Effect.fail("no")))
    yield* Effect.exit(hold(() => Effect.die("no")))
    assert.deepStrictEqual(
      calls.filter((call) => call.startsWith("release")),
      Array(2).fill("release verification-1")
    )
  })

  it.effect("is not used when none is left, or when the quota engine is not ready", function* () {
    const { calls, engine, hold } = yield* given
    let used = false
    const use = () => Effect.sync(() => used = true)
    engine.reserve = Effect.succeed("exceeded")
    assert.strictEqual((yield* Effect.flip(hold(use)))._tag, "QuotaExceeded")
    engine.reserve = Effect.fail(new QuotaError({ reason: "not-ready" }))
    assert.strictEqual((yield* Effect.flip(hold(use)))._tag, "QuotaError")
    assert.isFalse(used)
    assert.deepStrictEqual(calls, Array(2).fill("reserve verification-1 of 5"))
  })

  it.effect("does not fail the request when the quota engine fails at the end", function* () {
    const { appends, engine, hold } = yield* given
    engine.release = Effect.fail(new QuotaError({ reason: "unavailable" }))
    assert.strictEqual(yield* hold(appends(false)), "done")
  })

  it.effect.each([[true, []], [false, ["release verification-1"]]] as const)(
    "is released 30 seconds after an append of unknown outcome, unless the log holds the charge (charged: %s)",
    function* ([charged, released]) {
      const { calls, hold } = yield* given
      yield* hold(failingAppend, Effect.succeed(charged))
      yield* TestClock.adjust("29 seconds")
      assert.lengthOf(calls, 1)
      yield* TestClock.adjust("1 seconds")
      assert.deepStrictEqual(calls.slice(1), [...released])
    }
  )

  it.effect("is settled from the log when the result of the append does not say whether it charged", function* () {
    const { appends, calls, hold } = yield* given
    yield* hold(appends(undefined), Effect.succeed(false))
    yield* TestClock.adjust("30 seconds")
    assert.deepStrictEqual(calls.slice(1), ["release verification-1"])
  })

  it.effect("is settled later when the log is unavailable meanwhile", function* () {
    const { calls, hold } = yield* given
    let reads = 0
    yield* hold(
      failingAppend,
      Effect.suspend(() => ++reads < 4 ? Effect.fail("unavailable") : Effect.succeed(false))
    )
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(reads, 4)
    assert.deepStrictEqual(calls.slice(1), ["release verification-1"])
  })

  it.effect("is not settled after the service has stopped", function* () {
    const { calls, hold, serviceScope } = yield* given
    yield* hold(failingAppend)
    yield* Scope.close(serviceScope, Exit.void)
    yield* TestClock.adjust("1 hour")
    assert.lengthOf(calls, 1)
  })

  it.effect("must be charged within ten seconds: another request may hold it after that", function* () {
    const { appends, calls, hold } = yield* given
    yield* hold((held) => Effect.andThen(TestClock.adjust("10 seconds"), appends(true)(held)))
    const late = yield* Effect.flip(
      hold((held) => Effect.andThen(TestClock.adjust("10001 millis"), appends(true)(held)))
    )
    assert.propertyVal(late, "reason", "held-too-long")
    assert.strictEqual(calls.at(-1), "release verification-1")
  })

  it.effect("is confirmed before a try of an append that starts a second after the engine was asked", function* () {
    const { calls, engine, hold } = yield* given
    /** An append whose tries start at these times, in milliseconds after the reservation. */
    const appendAt = (...times: ReadonlyArray<number>) => (held: HeldUnits) =>
      held.charge("verification-1", (beforeAppend = Effect.void) =>
        Effect.gen(function* () {
          let now = 0
          for (const time of times) {
            yield* TestClock.adjust(time - now)
            now = time
            yield* beforeAppend
          }
        }), () => true)
    yield* hold(appendAt(1_000))
    assert.deepStrictEqual(calls, ["reserve verification-1 of 5"])
    yield* hold(appendAt(500, 1_001, 2_001, 2_002))
    assert.deepStrictEqual(calls.slice(2), ["confirm verification-1", "confirm verification-1"])

    // The engine lost the unit before anything was sent: it is released at once.
    const lost = new QuotaError({ reason: "held-too-long" })
    engine.confirm = Effect.fail(lost)
    assert.strictEqual(yield* Effect.flip(hold(appendAt(1_001))), lost)
    assert.strictEqual(calls.at(-1), "release verification-1")

    // It lost the unit after a first try of unknown outcome: the log decides later.
    calls.length = 0
    assert.strictEqual(yield* Effect.flip(hold(appendAt(0, 1_001))), lost)
    assert.deepStrictEqual(calls, ["reserve verification-1 of 5", "confirm verification-1"])

    // The answer was too slow.
    engine.confirm = TestClock.adjust(1_001)
    assert.propertyVal(yield* Effect.flip(hold(appendAt(1_001))), "reason", "held-too-long")
  })

  it.effect("is not reserved when the quota is unlimited", function* () {
    const { appends, calls, hold } = yield* given
    assert.strictEqual(yield* hold(appends(true), Effect.succeed(true), []), "done")
    assert.deepStrictEqual(calls, [])
  })
})
