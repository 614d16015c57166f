import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { SlipQuestion } from "../../../../ports/bank-gateway.ts"
import {
  inTrouble,
  type NoStatement,
  type Statement,
  unusable
} from "../../../../infrastructure/banks/upstream/gateway.ts"
import { guarded } from "../../../../infrastructure/banks/upstream/guarded.ts"
import { assertUnavailable } from "../assert-unavailable.ts"
import { known } from "../given-banks.ts"

type Answer = (question: SlipQuestion) => Effect.Effect<Statement, NoStatement>

const notFound: Statement = { answer: { _tag: "NotFound" }, upstream: "{}" }

const given = (answer: Answer, concurrency = 2) => {
  let asked = 0
  const gateway = guarded({
    name: "moon",
    title: "Moon",
    check: Effect.void,
    ask: (question) =>
      Effect.suspend(() => {
        asked++
        return answer(question)
      })
  }, { timeoutMillis: 4_000, concurrency, sendingBanks: [] })
  return { asked: () => asked, ask: gateway.verify(known) }
}

describe("a guarded gateway", () => {
  it.effect("asks so many questions at a time; the others wait, and get the time that is left", () =>
    Effect.gen(function* () {
      const answers = [Deferred.makeUnsafe<Statement>(), Deferred.makeUnsafe<Statement>()]
      let next = 0
      const { ask, asked } = given(() => {
        const answer = answers[next++]
        return answer === undefined ? Effect.never : Deferred.await(answer)
      })
      const fibers = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(ask, { startImmediately: true }))
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(asked(), 2)

      yield* Effect.forEach(answers, (answer) => Deferred.succeed(answer, notFound))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(asked(), 3)
      const replies = yield* Effect.forEach(fibers, Fiber.join)

      assert.deepStrictEqual(replies.map(({ tookMillis }) => tookMillis), [3_000, 3_000, 4_000])
      assert.deepStrictEqual(replies.map(({ answer }) => answer._tag), ["NotFound", "NotFound", "Unavailable"])
    }))

  it.effect("turns away who waited for all of his time, and holds that against nobody", () =>
    Effect.gen(function* () {
      const { ask, asked } = given(() => Effect.never, 1)
      const holder = yield* Effect.forkChild(ask, { startImmediately: true })
      yield* TestClock.adjust("1 millis")
      const others = yield* Effect.forEach(Array.from({ length: 8 }), () =>
        Effect.forkChild(ask, { startImmediately: true }))
      yield* TestClock.adjust("3999 millis")
      assertUnavailable(yield* Fiber.join(holder), /Moon gave no answer within 4000 ms/u)
      yield* TestClock.adjust("1 millis")

      const replies = yield* Effect.forEach(others, Fiber.join)

      for (const reply of replies) {
        assertUnavailable(reply, /1 questions to Moon were under way/u)
      }
      assert.strictEqual(asked(), 2)
      yield* Effect.forkChild(ask, { startImmediately: true })
      assert.strictEqual(asked(), 3)
    }))

  it.effect("asks no more after five troubles in a row, and answers at once", () =>
    Effect.gen(function* () {
      const { ask, asked } = given(() => Effect.fail(inTrouble("Moon is down", "evidence")))
      for (let times = 0; times < 5; times++) {
        const reply = yield* ask
        assertUnavailable(reply, /Moon is down/u)
        assert.strictEqual(reply.upstream, "evidence")
      }
      const reply = yield* ask
      assertUnavailable(reply, /Moon is not asked for a while/u)
      assert.isNull(reply.upstream)
      assert.strictEqual(asked(), 5)
      yield* TestClock.adjust("10 seconds")
      yield* ask
      assert.strictEqual(asked(), 6)
    }))

  it.effect("counts silence as trouble, but not answers that only leave a slip open", () =>
    Effect.gen(function* () {
      const silent = given(() => Effect.never, 10)
      const fibers = yield* Effect.forEach(Array.from({ length: 5 }), () =>
        Effect.forkChild(silent.ask, { startImmediately: true }))
      yield* TestClock.adjust("4 seconds")
      yield* Effect.forEach(fibers, Fiber.join)
      assertUnavailable(yield* silent.ask, /circuit is open/u)

      const unclear = given(() =>
        Effect.fail(unusable("Moon answered about another slip", "{}"))
      )
      for (let times = 0; times < 10; times++) assertUnavailable(yield* unclear.ask, /another slip/u)
      assert.strictEqual(unclear.asked(), 10)
    }))

  it.effect("holds it against nobody when questions that waited for long run out of time", () =>
    Effect.gen(function* () {
      const slow = Deferred.makeUnsafe<Statement>()
      let begun = 0
      const { ask, asked } = given(() => ++begun <= 10 ? Deferred.await(slow) : Effect.never, 10)
      const fibers = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () => Effect.forkChild(ask, { startImmediately: true })
      )
      yield* TestClock.adjust("3 seconds")
      yield* Deferred.succeed(slow, notFound)
      yield* TestClock.adjust("1 second")

      const replies = yield* Effect.forEach(fibers, Fiber.join)

      for (const late of replies.slice(10)) assertUnavailable(late, /too little of 4000 ms was left/u)
      assert.strictEqual(asked(), 20)
      yield* Effect.forkChild(ask, { startImmediately: true })
      assert.strictEqual(asked(), 21)
    }))

  it.effect("makes room again when a question is interrupted", () =>
    Effect.gen(function* () {
      const { ask, asked } = given(() => Effect.never, 1)
      for (let times = 1; times <= 3; times++) {
        const fiber = yield* Effect.forkChild(ask, { startImmediately: true })
        assert.strictEqual(asked(), times)
        yield* Fiber.interrupt(fiber)
      }
    }))
})
