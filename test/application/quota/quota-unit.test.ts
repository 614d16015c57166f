import { assert, describe, it } from "@effect/vitest"
import { type Duration, Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import { type Charge, withQuotaUnit } from "../../../application/quota/quota-unit.ts"
import { Quota, QuotaError, type Reservation } from "../../../ports/quota.ts"

const reservation: Reservation = { branchId: "branch-1", month: "2026-11", reservationId: "verification-1" }

/** A quota that admits until told otherwise, and everything that it was told. */
const given = Effect.gen(function* () {
  const told: Array<string> = []
  const how: {
    reserve: Effect.Effect<"reserved" | "exceeded", QuotaError>
    settle: Effect.Effect<void, QuotaError>
  } = { reserve: Effect.succeed("reserved"), settle: Effect.void }
  const tell = (word: string) => ({ reservationId }: Reservation) =>
    Effect.suspend(() => {
      told.push(`${word} ${reservationId}`)
      return how.settle
    })
  const quota = Quota.of({
    reserve: (one, limit) =>
      Effect.suspend(() => {
        told.push(`reserve ${one.reservationId} of ${limit}`)
        return how.reserve
      }),
    confirm: tell("confirm"),
    release: tell("release"),
    usage: () => Effect.succeed({ used: 0, totalUsed: 0 })
  })
  const scope = yield* Effect.scope
  const hold = <A, E>(
    use: Effect.Effect<A, E>,
    charge: Charge,
    wasCharged: Effect.Effect<boolean, string> = Effect.succeed(true)
  ) =>
    withQuotaUnit(reservation, 5, () => use, { outcome: () => charge, wasCharged, scope }).pipe(
      Effect.provideService(Quota, quota)
    )
  return { told, how, hold, quota }
})

describe("a unit of quota", () => {
  it.effect.each([["charged", "confirm"], ["free", "release"]] as const)(
    "is settled at once when it was %s",
    ([charge, word]) =>
      Effect.gen(function* () {
        const { hold, told } = yield* given
        assert.strictEqual(yield* hold(Effect.succeed("done"), charge), "done")
        assert.deepStrictEqual(told, ["reserve verification-1 of 5", `${word} verification-1`])
      })
  )

  it.effect("is settled too when its use fails or dies", () =>
    Effect.gen(function* () {
      const { hold, told } = yield* given
      yield* Effect.exit(hold(Effect.fail("no"), "free"))
      yield* Effect.exit(hold(Effect.die("no"), "free"))
      assert.deepStrictEqual(told.filter((word) => word.startsWith("release")), Array(2).fill("release verification-1"))
    }))

  it.effect("is not used when there is none left, nor when the quota can't tell", () =>
    Effect.gen(function* () {
      const { hold, how, told } = yield* given
      let used = false
      const use = Effect.sync(() => used = true)
      how.reserve = Effect.succeed("exceeded")
      assert.strictEqual((yield* Effect.flip(hold(use, "charged")))._tag, "QuotaExceeded")
      how.reserve = Effect.fail(new QuotaError({ reason: "not-ready" }))
      assert.strictEqual((yield* Effect.flip(hold(use, "charged")))._tag, "QuotaError")
      assert.isFalse(used)
      assert.deepStrictEqual(told, Array(2).fill("reserve verification-1 of 5"))
    }))

  it.effect("costs nobody an answer when the quota can't be told in the end", () =>
    Effect.gen(function* () {
      const { hold, how } = yield* given
      how.settle = Effect.fail(new QuotaError({ reason: "unavailable" }))
      assert.strictEqual(yield* hold(Effect.succeed("done"), "charged"), "done")
    }))

  it.effect.each([[true, "confirm"], [false, "release"]] as const)(
    "whose outcome nobody knows is settled after half a minute, as the log says (charged: %s)",
    ([charged, word]) =>
      Effect.gen(function* () {
        const { hold, told } = yield* given
        yield* hold(Effect.void, "unknown", Effect.succeed(charged))
        yield* TestClock.adjust("29 seconds")
        assert.lengthOf(told, 1)
        yield* TestClock.adjust("1 seconds")
        assert.deepStrictEqual(told.slice(1), [`${word} verification-1`])
      })
  )

  it.effect("whose outcome nobody knows is asked for until the log answers", () =>
    Effect.gen(function* () {
      const { hold, told } = yield* given
      let asked = 0
      yield* hold(
        Effect.void,
        "unknown",
        Effect.suspend(() => ++asked < 4 ? Effect.fail("log away") : Effect.succeed(false))
      )
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(asked, 4)
      assert.deepStrictEqual(told.slice(1), ["release verification-1"])
    }))

  it.effect("whose outcome nobody knows is asked for no longer than the service lives", () =>
    Effect.gen(function* () {
      const { quota, told } = yield* given
      const service = yield* Scope.make()
      yield* withQuotaUnit(reservation, 5, () => Effect.void, {
        outcome: () => "unknown",
        wasCharged: Effect.succeed(true),
        scope: service
      }).pipe(Effect.provideService(Quota, quota))
      yield* Scope.close(service, Exit.void)
      yield* TestClock.adjust("1 hour")
      assert.lengthOf(told, 1)
    }))

  it.effect("is charged within ten seconds or given back: by then it may be somebody else's", () =>
    Effect.gen(function* () {
      const { quota, told } = yield* given
      const scope = yield* Effect.scope
      const options = { outcome: () => "free" as const, wasCharged: Effect.succeed(false), scope }
      const hold = (pause: Duration.Input) =>
        withQuotaUnit(reservation, 5, (isInTime) => Effect.andThen(TestClock.adjust(pause), isInTime), options).pipe(
          Effect.provideService(Quota, quota)
        )
      yield* hold("10 seconds")
      assert.propertyVal(yield* Effect.flip(hold("10001 millis")), "reason", "held-too-long")
      assert.strictEqual(told.at(-1), "release verification-1")
    }))

  it.effect("is not taken where the quota is unlimited", () =>
    Effect.gen(function* () {
      const { quota, told } = yield* given
      const scope = yield* Effect.scope
      const options = { outcome: () => "charged" as const, wasCharged: Effect.succeed(true), scope }
      yield* withQuotaUnit(reservation, null, (isInTime) => isInTime, options).pipe(Effect.provideService(Quota, quota))
      assert.deepStrictEqual(told, [])
    }))
})
