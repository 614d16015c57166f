import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { untilDone } from "../support/advance-clock.ts"
import { away, givenBankAccounts, unhurried } from "./given-bank-accounts.ts"

export const OLD = "1000000000"
export const NEW = "2000000000"
export const ELSE = "3000000000"

/** How something fails. */
export const tag = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

/** Account 1 with its old number, in a log that can be kept from taking a step of a move. */
export const givenMove = Effect.gen(function* () {
  const all = yield* givenBankAccounts
  const { change, register, streamOfNumber, logFaults } = all
  yield* register(1, OLD)
  const old = yield* streamOfNumber(OLD)
  return {
    ...all,
    /** The log goes away between the two steps of a move to that number, for good. */
    dieMovingTo: Effect.fnUntraced(function* (bankNumber: string) {
      logFaults.before = (stream) => stream === old ? away : Effect.void
      assert.strictEqual(yield* unhurried(tag(change(1, { bankNumber }))), "EventStoreError")
      logFaults.before = () => Effect.void
    }),
    /** A move to that number that stands still before its second step, or its first, until it is let go on. */
    pauseMovingTo: Effect.fnUntraced(function* (bankNumber: string, before: "second" | "first" = "second") {
      const paused = yield* Deferred.make<void>()
      const awake = yield* Deferred.make<void>()
      const claimed = yield* streamOfNumber(bankNumber)
      logFaults.before = (stream) => {
        if (stream !== (before === "second" ? old : claimed)) return Effect.void
        logFaults.before = () => Effect.void
        return Effect.andThen(Deferred.succeed(paused, undefined), Deferred.await(awake))
      }
      const moving = yield* Effect.forkChild(Effect.result(change(1, { bankNumber })))
      yield* Deferred.await(paused)
      const goOn = Effect.gen(function* () {
        yield* Deferred.succeed(awake, undefined)
        yield* untilDone(moving)
        const result = yield* Fiber.join(moving)
        return result._tag === "Success" ? result.success.bankNumber : result.failure._tag
      })
      return { goOn }
    })
  }
})

/** Of these numbers, those that a new account can have; it is then as if it never had. */
export const free = Effect.fnUntraced(function* (
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
