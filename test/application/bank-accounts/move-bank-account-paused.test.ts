import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { away, unhurried } from "../given-bank-accounts.ts"
import { ELSE, free, givenMove, NEW, OLD, tag } from "../given-move.ts"

describe("a move that is paused between its two steps", () => {
  it.effect("fails when another command has taken its expired claim", () =>
    Effect.gen(function* () {
      const all = yield* givenMove
      const { look, pauseMovingTo, register } = all
      const { goOn } = yield* pauseMovingTo(NEW)
      assert.strictEqual(yield* tag(register(2, NEW)), "BankAccountDuplicate")
      yield* TestClock.adjust("1 minute")
      yield* register(2, NEW)
      assert.strictEqual(yield* goOn, "BankAccountDuplicate")
      assert.strictEqual((yield* look(1)).bankNumber, OLD)
      assert.strictEqual((yield* look(2)).bankNumber, NEW)
      assert.deepStrictEqual(yield* free(all, OLD, NEW), [])
    }))

  it.effect("continues from the place to which another command moved the account", () =>
    Effect.gen(function* () {
      const all = yield* givenMove
      const { change, look, pauseMovingTo } = all
      const { goOn } = yield* pauseMovingTo(NEW)
      assert.strictEqual((yield* change(1, { bankNumber: ELSE })).bankNumber, ELSE)
      assert.strictEqual(yield* goOn, NEW)
      assert.strictEqual((yield* look(1)).bankNumber, NEW)
      assert.deepStrictEqual(yield* free(all, OLD, NEW, ELSE), [OLD, ELSE])
    }))

  it.effect("changes nothing when another command has made the same move", () =>
    Effect.gen(function* () {
      const all = yield* givenMove
      const { change, events, pauseMovingTo } = all
      const { goOn } = yield* pauseMovingTo(NEW)
      assert.strictEqual((yield* unhurried(change(1, { bankNumber: NEW }))).bankNumber, NEW)
      assert.strictEqual(yield* goOn, NEW)
      assert.lengthOf(yield* events, 3)
      assert.deepStrictEqual(yield* free(all, OLD, NEW), [OLD])
    }))

  it.effect("does not take a number that another account registered in the meantime", () =>
    Effect.gen(function* () {
      const all = yield* givenMove
      const { change, look, pauseMovingTo, register } = all
      const { goOn } = yield* pauseMovingTo(NEW)
      yield* unhurried(change(1, { bankNumber: NEW }))
      yield* change(1, { bankNumber: OLD })
      yield* register(2, NEW)
      assert.strictEqual(yield* goOn, NEW, "for a moment it was there")
      assert.strictEqual((yield* look(1)).bankNumber, OLD)
      assert.deepStrictEqual(yield* free(all, OLD, NEW), [])
    }))

  it.effect("claims nothing when another command made the same move before its first step", () =>
    Effect.gen(function* () {
      for (const then of ["deactivate", "move on"] as const) {
        const all = yield* givenMove
        const { change, deactivate, look, pauseMovingTo } = all
        const { goOn } = yield* pauseMovingTo(NEW, "first")
        yield* change(1, { bankNumber: NEW })
        yield* then === "deactivate" ? deactivate(1) : change(1, { bankNumber: ELSE })
        const last = yield* look(1)
        assert.strictEqual(yield* goOn, then === "deactivate" ? "BankAccountNotFound" : NEW)
        if (then === "deactivate") assert.deepStrictEqual(yield* look(1), last)
        assert.deepStrictEqual(yield* free(all, OLD, NEW, ELSE), then === "deactivate" ? [OLD, NEW, ELSE] : [OLD, ELSE])
      }
    }))

  it.effect("finds the account at its destination, after any command that moved it there", () =>
    Effect.gen(function* () {
      const all = yield* givenMove
      const { change, pauseMovingTo } = all
      const { goOn } = yield* pauseMovingTo(NEW, "first")
      yield* change(1, { bankNumber: ELSE })
      yield* change(1, { bankNumber: NEW })
      assert.strictEqual(yield* goOn, NEW)
      assert.deepStrictEqual(yield* free(all, OLD, NEW, ELSE), [OLD, ELSE])
    }))

  it.effect("leaves a claim that expires when its process dies after the first step", () =>
    Effect.gen(function* () {
      for (const then of ["deactivate", "move on"] as const) {
        const all = yield* givenMove
        const { change, deactivate, events, look, pauseMovingTo, logFaults } = all
        const { goOn } = yield* pauseMovingTo(NEW, "first")
        yield* change(1, { bankNumber: NEW })
        yield* then === "deactivate" ? deactivate(1) : change(1, { bankNumber: ELSE })
        const last = yield* look(1)
        logFaults.after = () => away
        assert.strictEqual(yield* goOn, "EventStoreError")
        logFaults.after = Effect.succeed

        assert.deepStrictEqual(yield* look(1), last)
        const count = (yield* events).length
        if (then === "deactivate") assert.deepStrictEqual(yield* deactivate(1), last)
        assert.lengthOf(yield* events, count)
        assert.deepStrictEqual(yield* free(all, NEW), [NEW])
        assert.deepStrictEqual(yield* look(1), last)
      }
    }))

  it.effect("keeps a link to another branch that is made in the meantime", () =>
    Effect.gen(function* () {
      const { link, look, pauseMovingTo } = yield* givenMove
      const { goOn } = yield* pauseMovingTo(NEW)
      yield* link(1, "siam")
      assert.strictEqual(yield* goOn, NEW)
      assert.strictEqual((yield* look(1, "siam")).bankNumber, NEW)
    }))

  it.effect("releases its claim when the account is deactivated or unlinked in the meantime", () =>
    Effect.gen(function* () {
      for (const end of ["deactivate", "unlink"] as const) {
        const all = yield* givenMove
        const { deactivate, events, pauseMovingTo, unlink } = all
        const { goOn } = yield* pauseMovingTo(NEW)
        yield* end === "deactivate" ? deactivate(1) : unlink(1, "silom")
        assert.strictEqual(yield* goOn, "BankAccountNotFound")
        assert.deepInclude((yield* events).at(-1)?.data, { reason: "move-abandoned" })
        assert.deepStrictEqual(yield* free(all, NEW), [NEW])
      }
    }))

  it.effect("continues when its caller disconnects", () =>
    Effect.gen(function* () {
      const { change, look, streamOfNumber, logFaults } = yield* givenMove
      const paused = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const old = yield* streamOfNumber(OLD)
      logFaults.before = (stream) =>
        stream === old ? Effect.andThen(Deferred.succeed(paused, undefined), Deferred.await(goOn)) : Effect.void
      const moving = yield* Effect.forkChild(change(1, { bankNumber: NEW }))
      yield* Deferred.await(paused)
      const gone = yield* Effect.forkChild(Fiber.interrupt(moving), { startImmediately: true })
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(gone)
      assert.strictEqual((yield* look(1)).bankNumber, NEW)
    }))
})
