import { assert, describe, it } from "../../support/it.ts"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { appendFails, whileClockAdvances } from "../given-bank-accounts.ts"
import { freeNumbers, givenMove, NEW, OLD, tag, THIRD } from "../given-move.ts"

describe("a move that is paused between its two steps", () => {
  it.effect("fails when another command has taken its expired claim", function* () {
    const all = yield* givenMove
    const { getAccount, pauseMovingTo, register } = all
    const { resume } = yield* pauseMovingTo(NEW)
    assert.strictEqual(yield* tag(register(2, NEW)), "BankAccountDuplicate")
    yield* TestClock.adjust("1 minute")
    yield* register(2, NEW)
    assert.strictEqual(yield* resume, "BankAccountDuplicate")
    assert.strictEqual((yield* getAccount(1)).bankNumber, OLD)
    assert.strictEqual((yield* getAccount(2)).bankNumber, NEW)
    assert.deepStrictEqual(yield* freeNumbers(all, OLD, NEW), [])
  })

  it.effect("continues from the number to which another command moved the account", function* () {
    const all = yield* givenMove
    const { change, getAccount, pauseMovingTo } = all
    const { resume } = yield* pauseMovingTo(NEW)
    assert.strictEqual((yield* change(1, { bankNumber: THIRD })).bankNumber, THIRD)
    assert.strictEqual(yield* resume, NEW)
    assert.strictEqual((yield* getAccount(1)).bankNumber, NEW)
    assert.deepStrictEqual(yield* freeNumbers(all, OLD, NEW, THIRD), [OLD, THIRD])
  })

  it.effect("changes nothing when another command has made the same move", function* () {
    const all = yield* givenMove
    const { change, events, pauseMovingTo } = all
    const { resume } = yield* pauseMovingTo(NEW)
    assert.strictEqual((yield* whileClockAdvances(change(1, { bankNumber: NEW }))).bankNumber, NEW)
    assert.strictEqual(yield* resume, NEW)
    assert.lengthOf(yield* events, 3)
    assert.deepStrictEqual(yield* freeNumbers(all, OLD, NEW), [OLD])
  })

  it.effect("does not take a number that another account registered in the meantime", function* () {
    const all = yield* givenMove
    const { change, getAccount, pauseMovingTo, register } = all
    const { resume } = yield* pauseMovingTo(NEW)
    yield* whileClockAdvances(change(1, { bankNumber: NEW }))
    yield* change(1, { bankNumber: OLD })
    yield* register(2, NEW)
    assert.strictEqual(yield* resume, NEW, "the account had the number for a moment")
    assert.strictEqual((yield* getAccount(1)).bankNumber, OLD)
    assert.deepStrictEqual(yield* freeNumbers(all, OLD, NEW), [])
  })

  it.effect("claims nothing when another command made the same move before its first step", function* () {
    for (const then of ["deactivate", "move on"] as const) {
      const all = yield* givenMove
      const { change, deactivate, getAccount, pauseMovingTo } = all
      const { resume } = yield* pauseMovingTo(NEW, "first")
      yield* change(1, { bankNumber: NEW })
      yield* then === "deactivate" ? deactivate(1) : change(1, { bankNumber: THIRD })
      const last = yield* getAccount(1)
      assert.strictEqual(yield* resume, then === "deactivate" ? "BankAccountNotFound" : NEW)
      if (then === "deactivate") assert.deepStrictEqual(yield* getAccount(1), last)
      assert.deepStrictEqual(
        yield* freeNumbers(all, OLD, NEW, THIRD),
        then === "deactivate" ? [OLD, NEW, THIRD] : [OLD, THIRD]
      )
    }
  })

  it.effect("finds the account at its destination, after any command that moved it there", function* () {
    const all = yield* givenMove
    const { change, pauseMovingTo } = all
    const { resume } = yield* pauseMovingTo(NEW, "first")
    yield* change(1, { bankNumber: THIRD })
    yield* change(1, { bankNumber: NEW })
    assert.strictEqual(yield* resume, NEW)
    assert.deepStrictEqual(yield* freeNumbers(all, OLD, NEW, THIRD), [OLD, THIRD])
  })

  it.effect("leaves a claim that expires when its process dies after the first step", function* () {
    for (const then of ["deactivate", "move on"] as const) {
      const all = yield* givenMove
      const { change, deactivate, events, getAccount, pauseMovingTo, logFaults } = all
      const { resume } = yield* pauseMovingTo(NEW, "first")
      yield* change(1, { bankNumber: NEW })
      yield* then === "deactivate" ? deactivate(1) : change(1, { bankNumber: THIRD })
      const last = yield* getAccount(1)
      logFaults.after = () => appendFails
      assert.strictEqual(yield* resume, "EventStoreError")
      logFaults.after = Effect.succeed

      assert.deepStrictEqual(yield* getAccount(1), last)
      const count = (yield* events).length
      if (then === "deactivate") assert.deepStrictEqual(yield* deactivate(1), last)
      assert.lengthOf(yield* events, count)
      assert.deepStrictEqual(yield* freeNumbers(all, NEW), [NEW])
      assert.deepStrictEqual(yield* getAccount(1), last)
    }
  })

  it.effect("keeps a link to another branch that is made in the meantime", function* () {
    const { link, getAccount, pauseMovingTo } = yield* givenMove
    const { resume } = yield* pauseMovingTo(NEW)
    yield* link(1, "siam")
    assert.strictEqual(yield* resume, NEW)
    assert.strictEqual((yield* getAccount(1, "siam")).bankNumber, NEW)
  })

  it.effect("releases its claim when the account is deactivated or unlinked in the meantime", function* () {
    for (const end of ["deactivate", "unlink"] as const) {
      const all = yield* givenMove
      const { deactivate, events, pauseMovingTo, unlink } = all
      const { resume } = yield* pauseMovingTo(NEW)
      yield* end === "deactivate" ? deactivate(1) : unlink(1, "silom")
      assert.strictEqual(yield* resume, "BankAccountNotFound")
      assert.deepInclude((yield* events).at(-1)?.data, { reason: "move-abandoned" })
      assert.deepStrictEqual(yield* freeNumbers(all, NEW), [NEW])
    }
  })

  it.effect("continues when its caller disconnects", function* () {
    const { change, getAccount, streamOfNumber, logFaults } = yield* givenMove
    const paused = yield* Deferred.make<void>()
    const resume = yield* Deferred.make<void>()
    const old = yield* streamOfNumber(OLD)
    logFaults.before = (stream) =>
      stream === old ? Effect.andThen(Deferred.succeed(paused, undefined), Deferred.await(resume)) : Effect.void
    const moving = yield* Effect.forkChild(change(1, { bankNumber: NEW }))
    yield* Deferred.await(paused)
    const interrupted = yield* Effect.forkChild(Fiber.interrupt(moving), { startImmediately: true })
    yield* Deferred.succeed(resume, undefined)
    yield* Fiber.join(interrupted)
    assert.strictEqual((yield* getAccount(1)).bankNumber, NEW)
  })
})
