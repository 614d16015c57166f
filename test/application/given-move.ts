import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { untilDone } from "../support/advance-clock.ts"
import { appendFails, givenBankAccounts, whileClockAdvances } from "./given-bank-accounts.ts"

export const OLD = "1000000000"
export const NEW = "2000000000"
export const THIRD = "3000000000"

/** The tag of an effect's error. */
export const tag = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

/** Account 1 with its old number, in a log that the test can stop between the steps of a move. */
export const givenMove = Effect.gen(function* () {
  const all = yield* givenBankAccounts
  const { change, register, streamOfNumber, logFaults } = all
  yield* register(1, OLD)
  const old = yield* streamOfNumber(OLD)
  return {
    ...all,
    /** Starts a move to the number and makes the log unavailable between its two steps. The move fails. */
    dieMovingTo: Effect.fnUntraced(function* (bankNumber: string) {
      logFaults.before = (stream) => stream === old ? appendFails : Effect.void
      assert.strictEqual(yield* whileClockAdvances(tag(change(1, { bankNumber }))), "EventStoreError")
      logFaults.before = () => Effect.void
    }),
    /** A move to the number that pauses before its second step, or its first, until `resume` runs. */
    pauseMovingTo: Effect.fnUntraced(function* (bankNumber: string, before: "second" | "first" = "second") {
      const paused = yield* Deferred.make<void>()
      const released = yield* Deferred.make<void>()
      const claimed = yield* streamOfNumber(bankNumber)
      logFaults.before = (stream) => {
        if (stream !== (before === "second" ? old : claimed)) return Effect.void
        logFaults.before = () => Effect.void
        return Effect.andThen(Deferred.succeed(paused, undefined), Deferred.await(released))
      }
      const moving = yield* Effect.forkChild(Effect.result(change(1, { bankNumber })))
      yield* Deferred.await(paused)
      const resume = Effect.gen(function* () {
        yield* Deferred.succeed(released, undefined)
        yield* untilDone(moving)
        const result = yield* Fiber.join(moving)
        return result._tag === "Success" ? result.success.bankNumber : result.failure._tag
      })
      return { resume }
    })
  }
})

/** The numbers among these that a new account can register. Each new account is deactivated again. */
export const freeNumbers = Effect.fnUntraced(function* (
  { deactivate, register }: Effect.Success<typeof givenMove>,
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
