import { assert, describe, it } from "../../../../support/it.ts"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { SlipQuestion } from "../../../../../ports/bank-gateway.ts"
import type { VendorAccount } from "../../../../../ports/gateway-status.ts"
import {
  type BankAnswer,
  type Gateway,
  gatewayFailed,
  type GatewayFailure,
  refused,
  slipFailed
} from "../../../../../infrastructure/adapters/banks/upstream/gateway.ts"
import { makeGateway } from "../../../../../infrastructure/adapters/banks/upstream/make-gateway.ts"
import { assertUnavailable } from "../assert-unavailable.ts"
import { known } from "../given-banks.ts"

type Answer = (question: SlipQuestion) => Effect.Effect<BankAnswer, GatewayFailure>
type Reply = Effect.Success<ReturnType<Gateway["verify"]>>

const notFound: BankAnswer = { answer: { _tag: "NotFound" }, upstream: "{}" }

const given = (answer: Answer, concurrency = 2, account?: Effect.Effect<VendorAccount, GatewayFailure>) => {
  let calls = 0
  const gateway = makeGateway({
    name: "moon",
    title: "Moon",
    check: Effect.void,
    ...(account === undefined ? {} : { account }),
    ask: (question) =>
      Effect.suspend(() => {
        calls++
        return answer(question)
      })
  }, { timeoutMillis: 4_000, concurrency, sendingBanks: [] })
  const askFor = (branchId: string) => gateway.verify({ ...known, branchId })
  let branches = 0
  /** A question of another branch each time. */
  const ask = Effect.suspend(() => askFor(`branch-${++branches}`))
  return { calls: () => calls, ask, askFor, check: gateway.check }
}

/** Asks for a branch `times` times at once. */
const flood = (ask: Effect.Effect<Reply>, times: number) =>
  Effect.forEach(Array.from({ length: times }), () => Effect.forkChild(ask, { startImmediately: true }))

const tagsOf = (replies: ReadonlyArray<Reply>) => replies.map(({ answer }) => answer._tag)

describe("a bank's gateway", () => {
  it.effect("limits concurrent questions; the others wait and get the remaining time", function* () {
    const answers = [Deferred.makeUnsafe<BankAnswer>(), Deferred.makeUnsafe<BankAnswer>()]
    let next = 0
    const { ask, calls } = given(() => {
      const answer = answers[next++]
      return answer === undefined ? Effect.never : Deferred.await(answer)
    })
    const fibers = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(ask, { startImmediately: true }))
    yield* TestClock.adjust("3 seconds")
    assert.strictEqual(calls(), 2)

    yield* Effect.forEach(answers, (answer) => Deferred.succeed(answer, notFound))
    yield* TestClock.adjust("1 second")
    assert.strictEqual(calls(), 3)
    const replies = yield* Effect.forEach(fibers, Fiber.join)

    assert.deepStrictEqual(replies.map(({ tookMillis }) => tookMillis), [3_000, 3_000, 4_000])
    assert.deepStrictEqual(replies.map(({ answer }) => answer._tag), ["NotFound", "NotFound", "Unavailable"])
  })

  it.effect("refuses a question that waited for its whole time limit, without a failure of the gateway", function* () {
    const { ask, calls } = given(() => Effect.never, 1)
    const holder = yield* Effect.forkChild(ask, { startImmediately: true })
    yield* TestClock.adjust("1 millis")
    const others = yield* Effect.forEach(
      Array.from({ length: 8 }),
      () => Effect.forkChild(ask, { startImmediately: true })
    )
    yield* TestClock.adjust("3999 millis")
    assertUnavailable(yield* Fiber.join(holder), /Moon gave no answer within 4000 ms/u)
    yield* TestClock.adjust("1 millis")

    const replies = yield* Effect.forEach(others, Fiber.join)

    for (const reply of replies) {
      assertUnavailable(reply, /1 questions to Moon were ahead/u)
    }
    assert.strictEqual(calls(), 2)
    yield* Effect.forkChild(ask, { startImmediately: true })
    assert.strictEqual(calls(), 3)
  })

  it.effect("gives a branch half of the places, and keeps some for branches without a question", function* () {
    const { askFor, calls } = given(() => Effect.never, 20)
    yield* flood(askFor("noisy"), 50)
    assert.strictEqual(calls(), 10)
    yield* flood(askFor("another noisy"), 50)
    assert.strictEqual(calls(), 16)
    for (let quiet = 1; quiet <= 4; quiet++) {
      yield* flood(askFor(`quiet-${quiet}`), 2)
      assert.strictEqual(calls(), 16 + quiet)
    }
  })

  it.effect("answers a branch while another one asks more than the gateway can answer", function* () {
    const { askFor } = given(() => Effect.delay(Effect.succeed(notFound), "700 millis"), 20)
    const noisy = yield* flood(askFor("noisy"), 200)
    yield* TestClock.adjust("100 millis")
    const quiet = yield* flood(askFor("quiet"), 20)
    yield* TestClock.adjust("4 seconds")

    const answered = yield* Effect.forEach(quiet, Fiber.join)
    const waited = (yield* Effect.forEach(noisy, Fiber.join)).filter(({ answer }) => answer._tag !== "NotFound")

    assert.deepStrictEqual(new Set(tagsOf(answered)), new Set(["NotFound"]))
    assert.isAtMost(Math.max(...answered.map(({ tookMillis }) => tookMillis)), 2_100)
    assert.isAbove(waited.length, 100)
    const last = waited.at(-1) ?? assert.fail("every question was answered")
    assertUnavailable(last, /other questions of its branch to Moon were ahead/u)
    assert.deepInclude(last.answer, { retryAfterSeconds: 5 })
  })

  it.effect("stops asking after five consecutive failures and answers at once", function* () {
    const { ask, calls } = given(() => Effect.fail(gatewayFailed("Moon is down", "evidence")))
    for (let times = 0; times < 5; times++) {
      const reply = yield* ask
      assertUnavailable(reply, /Moon is down/u)
      assert.strictEqual(reply.upstream, "evidence")
    }
    const reply = yield* ask
    assertUnavailable(reply, /Moon was not asked/u)
    assert.isNull(reply.upstream)
    assert.strictEqual(calls(), 5)
    yield* TestClock.adjust("10 seconds")
    yield* ask
    assert.strictEqual(calls(), 6)
  })

  it.effect("counts a timeout as a failure of the gateway, but not an unusable answer about a slip", function* () {
    const silent = given(() => Effect.never, 10)
    const fibers = yield* Effect.forEach(
      Array.from({ length: 5 }),
      () => Effect.forkChild(silent.ask, { startImmediately: true })
    )
    yield* TestClock.adjust("4 seconds")
    yield* Effect.forEach(fibers, Fiber.join)
    assertUnavailable(yield* silent.ask, /circuit is open/u)

    const unclear = given(() => Effect.fail(slipFailed("Moon answered about another slip", "{}")))
    for (let times = 0; times < 10; times++) assertUnavailable(yield* unclear.ask, /another slip/u)
    assert.strictEqual(unclear.calls(), 10)
  })

  it.effect("counts no failure of the gateway when questions time out after a long wait", function* () {
    const slow = Deferred.makeUnsafe<BankAnswer>()
    let begun = 0
    const { ask, calls } = given(() => ++begun <= 10 ? Deferred.await(slow) : Effect.never, 10)
    const fibers = yield* Effect.forEach(
      Array.from({ length: 20 }),
      () => Effect.forkChild(ask, { startImmediately: true })
    )
    yield* TestClock.adjust("3 seconds")
    yield* Deferred.succeed(slow, notFound)
    yield* TestClock.adjust("1 second")

    const replies = yield* Effect.forEach(fibers, Fiber.join)

    for (const late of replies.slice(10)) assertUnavailable(late, /too little of 4000 ms was left/u)
    assert.strictEqual(calls(), 20)
    yield* Effect.forkChild(ask, { startImmediately: true })
    assert.strictEqual(calls(), 21)
  })

  it.effect("releases the permit of an interrupted question", function* () {
    const { ask, calls } = given(() => Effect.never, 1)
    for (let times = 1; times <= 3; times++) {
      const fiber = yield* Effect.forkChild(ask, { startImmediately: true })
      assert.strictEqual(calls(), times)
      yield* Fiber.interrupt(fiber)
    }
  })

  it.effect("ends a question in time when the account is asked about first", function* () {
    const account = { remaining: 10, limit: 100, expiresAt: null }
    const { ask, calls } = given(
      () => calls() === 1 ? Effect.fail(refused("quota", "used up")) : Effect.never,
      2,
      Effect.delay(Effect.succeed(account), "1500 millis")
    )
    assert.strictEqual((yield* ask).answer._tag, "QuotaExhausted")
    yield* TestClock.adjust("10 minutes")

    const fiber = yield* Effect.forkChild(ask, { startImmediately: true })
    yield* TestClock.adjust("4 seconds")

    const reply = yield* Fiber.join(fiber)
    assertUnavailable(reply, /Moon gave no answer within 4000 ms/u)
    assert.strictEqual(reply.tookMillis, 4_000)
    assert.strictEqual(calls(), 2)
  })

  it.effect("limits the time of a question about the account", function* () {
    const { check } = given(() => Effect.never, 2, Effect.never)
    const fiber = yield* Effect.forkChild(Effect.flip(check), { startImmediately: true })
    yield* TestClock.adjust("4 seconds")
    assert.match((yield* Fiber.join(fiber)).why, /^Moon said nothing about the account within 4000 ms$/u)
  })
})
