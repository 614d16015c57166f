import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { untilDone } from "../../support/until-done.ts"
import { away, givenBankAccounts, unhurried } from "../given-bank-accounts.ts"
import { types } from "../given-verifier.ts"

const OLD = "1000000000"
const NEW = "2000000000"
const ELSE = "3000000000"

const tag = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

/** Account 1 with its old number, in a log that can be kept from taking the second step of a move. */
const given = Effect.gen(function*() {
  const all = yield* givenBankAccounts
  const { change, register, streamOfNumber, trouble } = all
  yield* register(1, OLD)
  const old = yield* streamOfNumber(OLD)
  return {
    ...all,
    /** The log goes away between the two steps of a move to that number, for good. */
    dieMovingTo: Effect.fnUntraced(function*(bankNumber: string) {
      trouble.before = (stream) => stream === old ? away : Effect.void
      assert.strictEqual(yield* unhurried(tag(change(1, { bankNumber }))), "EventStoreError")
      trouble.before = () => Effect.void
    }),
    /** A move to that number that stands still between its two steps until it is let go on. */
    pauseMovingTo: Effect.fnUntraced(function*(bankNumber: string) {
      const paused = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      trouble.before = (stream) => {
        if (stream !== old) return Effect.void
        trouble.before = () => Effect.void
        return Effect.andThen(Deferred.succeed(paused, undefined), Deferred.await(goOn))
      }
      const moving = yield* Effect.forkChild(Effect.result(change(1, { bankNumber })))
      yield* Deferred.await(paused)
      return Effect.gen(function*() {
        yield* Deferred.succeed(goOn, undefined)
        yield* untilDone(moving)
        const result = yield* Fiber.join(moving)
        return result._tag === "Success" ? result.success.bankNumber : result.failure._tag
      })
    })
  }
})

/** Of these numbers, those that a new account can have; it is then as if it never had. */
const free = Effect.fnUntraced(function*(
  { deactivate, register }: Effect.Success<typeof given>,
  ...numbers: ReadonlyArray<string>
) {
  const found: Array<string> = []
  for (const [index, number] of numbers.entries()) {
    const account = 100 + index
    const isFree = yield* Effect.isSuccess(register(account, number))
    if (!isFree) continue
    found.push(number)
    yield* deactivate(account)
  }
  return found
})

describe("a move that died between its two steps", () => {
  it.effect("has not happened; the same change brings it to its end", () =>
    Effect.gen(function*() {
      const all = yield* given
      const { change, dieMovingTo, events, look } = all
      yield* dieMovingTo(NEW)
      assert.strictEqual((yield* look(1)).bankNumber, OLD)
      assert.strictEqual((yield* unhurried(change(1, { bankNumber: NEW }))).bankNumber, NEW)
      assert.deepStrictEqual(types(yield* events), [
        "BankAccountRegistered",
        "BankAccountRegistered",
        "BankAccountMoved"
      ])
      assert.strictEqual((yield* look(1)).bankNumber, NEW)
      assert.deepStrictEqual(yield* free(all, OLD, NEW), [OLD])
    }))

  it.effect("is brought to its end by another change to the same number, which is made on top", () =>
    Effect.gen(function*() {
      const { change, dieMovingTo, look, model } = yield* given
      yield* dieMovingTo(NEW)
      const changed = yield* unhurried(change(1, { bankNumber: NEW, nameEn: "SHOP" }))
      assert.deepInclude(changed, { bankNumber: NEW, nameEn: "SHOP" })
      assert.deepStrictEqual(yield* look(1), changed)
      const rows = [...(yield* model).rows.values()]
      assert.deepStrictEqual(rows.map(({ fields }) => fields["updatedAt"]), [changed.updatedAt])
    }))

  it.effect("keeps the new number for a minute, and then no longer", () =>
    Effect.gen(function*() {
      const all = yield* given
      const { change, dieMovingTo, look, register } = all
      yield* dieMovingTo(NEW)
      assert.strictEqual(yield* tag(register(2, NEW)), "BankAccountDuplicate")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* register(2, NEW)).bankNumber, NEW)
      assert.strictEqual((yield* look(1)).bankNumber, OLD)
      assert.strictEqual(yield* tag(change(1, { bankNumber: NEW })), "BankAccountDuplicate")
      assert.deepStrictEqual(yield* free(all, OLD, NEW), [])
    }))

  it.effect("keeps nothing once the account was changed in another way", () =>
    Effect.gen(function*() {
      const all = yield* given
      const { change, dieMovingTo, look } = all
      yield* dieMovingTo(NEW)
      yield* change(1, { nameEn: "SHOP" })
      assert.deepStrictEqual(yield* free(all, OLD, NEW), [NEW])
      yield* dieMovingTo(NEW)
      yield* change(1, { bankNumber: ELSE })
      assert.deepStrictEqual(yield* free(all, OLD, NEW, ELSE), [OLD, NEW])
      assert.deepInclude(yield* look(1), { bankNumber: ELSE, nameEn: "SHOP" })
    }))

  it.effect("keeps nothing once the account went out of use", () =>
    Effect.gen(function*() {
      const all = yield* given
      const { deactivate, dieMovingTo } = all
      yield* dieMovingTo(NEW)
      assert.deepInclude(yield* deactivate(1), { bankNumber: OLD, isActive: false })
      assert.deepStrictEqual(yield* free(all, OLD, NEW), [OLD, NEW])
    }))

  it.effect("and was half given up by one who died too is given up by the next", () =>
    Effect.gen(function*() {
      const all = yield* given
      const { change, dieMovingTo, register, streamOfNumber, trouble } = all
      const claimed = yield* streamOfNumber(NEW)
      yield* dieMovingTo(NEW)
      yield* TestClock.adjust("1 minute")
      trouble.before = (stream) => stream === claimed ? away : Effect.void
      assert.strictEqual(yield* unhurried(tag(register(2, NEW))), "EventStoreError")
      trouble.before = () => Effect.void
      assert.strictEqual((yield* register(3, NEW)).bankNumber, NEW)
      assert.strictEqual(yield* tag(change(1, { bankNumber: NEW })), "BankAccountDuplicate")
    }))
})

describe("a move whose log goes away for a moment", () => {
  it.effect("comes to its end all the same", () =>
    Effect.gen(function*() {
      const all = yield* given
      const { change, events, trouble } = all
      let faults = 2
      trouble.after = (appended) => faults-- > 0 ? away : Effect.succeed(appended)
      assert.strictEqual((yield* unhurried(change(1, { bankNumber: NEW }))).bankNumber, NEW)
      assert.lengthOf(yield* events, 3)
      assert.deepStrictEqual(yield* free(all, OLD, NEW), [OLD])
    }))

  it.effect("after its last step has happened, though nobody was told", () =>
    Effect.gen(function*() {
      const all = yield* given
      const { change, look, streamOfNumber, trouble } = all
      const old = yield* streamOfNumber(OLD)
      trouble.after = (appended, stream) => stream === old ? away : Effect.succeed(appended)
      assert.strictEqual(yield* unhurried(tag(change(1, { bankNumber: NEW }))), "EventStoreError")
      trouble.after = Effect.succeed
      assert.strictEqual((yield* look(1)).bankNumber, NEW)
      assert.strictEqual((yield* unhurried(change(1, { bankNumber: NEW }))).bankNumber, NEW)
      assert.deepStrictEqual(yield* free(all, OLD, NEW), [OLD])
    }))
})

describe("a move that stands still between its two steps", () => {
  it.effect("and wakes up after its claim went to somebody else comes too late", () =>
    Effect.gen(function*() {
      const all = yield* given
      const { look, pauseMovingTo, register } = all
      const goOn = yield* pauseMovingTo(NEW)
      assert.strictEqual(yield* tag(register(2, NEW)), "BankAccountDuplicate")
      yield* TestClock.adjust("1 minute")
      yield* register(2, NEW)
      assert.strictEqual(yield* goOn, "BankAccountDuplicate")
      assert.strictEqual((yield* look(1)).bankNumber, OLD)
      assert.strictEqual((yield* look(2)).bankNumber, NEW)
      assert.deepStrictEqual(yield* free(all, OLD, NEW), [])
    }))

  it.effect("while another one moves the account elsewhere goes on from there", () =>
    Effect.gen(function*() {
      const all = yield* given
      const { change, look, pauseMovingTo } = all
      const goOn = yield* pauseMovingTo(NEW)
      assert.strictEqual((yield* change(1, { bankNumber: ELSE })).bankNumber, ELSE)
      assert.strictEqual(yield* goOn, NEW)
      assert.strictEqual((yield* look(1)).bankNumber, NEW)
      assert.deepStrictEqual(yield* free(all, OLD, NEW, ELSE), [OLD, ELSE])
    }))

  it.effect("while another one makes the same move finds it made", () =>
    Effect.gen(function*() {
      const all = yield* given
      const { change, events, pauseMovingTo } = all
      const goOn = yield* pauseMovingTo(NEW)
      assert.strictEqual((yield* unhurried(change(1, { bankNumber: NEW }))).bankNumber, NEW)
      assert.strictEqual(yield* goOn, NEW)
      assert.lengthOf(yield* events, 3)
      assert.deepStrictEqual(yield* free(all, OLD, NEW), [OLD])
    }))

  it.effect("while another one moves it there and back again, and somebody else takes the number, takes nothing from him", () =>
    Effect.gen(function*() {
      const all = yield* given
      const { change, look, pauseMovingTo, register } = all
      const goOn = yield* pauseMovingTo(NEW)
      yield* unhurried(change(1, { bankNumber: NEW }))
      yield* change(1, { bankNumber: OLD })
      yield* register(2, NEW)
      assert.strictEqual(yield* goOn, NEW, "for a moment it was there")
      assert.strictEqual((yield* look(1)).bankNumber, OLD)
      assert.deepStrictEqual(yield* free(all, OLD, NEW), [])
    }))

  it.effect("while the account is linked to a further branch takes that link along", () =>
    Effect.gen(function*() {
      const { link, look, pauseMovingTo } = yield* given
      const goOn = yield* pauseMovingTo(NEW)
      yield* link(1, "siam")
      assert.strictEqual(yield* goOn, NEW)
      assert.strictEqual((yield* look(1, "siam")).bankNumber, NEW)
    }))

  it.effect("while the account goes out of use, or from its branch, gives its claim up", () =>
    Effect.gen(function*() {
      for (const end of ["deactivate", "unlink"] as const) {
        const all = yield* given
        const { deactivate, pauseMovingTo, unlink } = all
        const goOn = yield* pauseMovingTo(NEW)
        yield* end === "deactivate" ? deactivate(1) : unlink(1, "silom")
        assert.strictEqual(yield* goOn, "BankAccountNotFound")
        assert.deepStrictEqual(yield* free(all, NEW), [NEW])
      }
    }))

  it.effect("goes on although its caller has gone away", () =>
    Effect.gen(function*() {
      const { change, look, streamOfNumber, trouble } = yield* given
      const paused = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const old = yield* streamOfNumber(OLD)
      trouble.before = (stream) =>
        stream === old ? Effect.andThen(Deferred.succeed(paused, undefined), Deferred.await(goOn)) : Effect.void
      const moving = yield* Effect.forkChild(change(1, { bankNumber: NEW }))
      yield* Deferred.await(paused)
      const gone = yield* Effect.forkChild(Fiber.interrupt(moving), { startImmediately: true })
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(gone)
      assert.strictEqual((yield* look(1)).bankNumber, NEW)
    }))
})
