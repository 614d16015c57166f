import { assert, describe, it } from "../../../support/it.ts"
import { Effect, Fiber, Metric, Result } from "effect"
import { TestClock } from "effect/testing"
import { makeFailover } from "../../../../infrastructure/adapters/banks/failover-gateway.ts"
import { followAccounts } from "../../../../infrastructure/adapters/banks/follow-accounts.ts"
import {
  bankTraits,
  gatewayFailed,
  type GatewayFailure,
  refused,
  slipFailed
} from "../../../../infrastructure/adapters/banks/upstream/gateway.ts"
import { type Bank, makeGateway } from "../../../../infrastructure/adapters/banks/upstream/make-gateway.ts"
import { readSlipData } from "../../../../infrastructure/adapters/banks/upstream/slip-data.ts"
import type { VendorAccount } from "../../../../ports/gateway-status.ts"
import { kbankSlipData } from "../../../support/banks/slip-data.ts"
import { known } from "./given-banks.ts"

const transfer = Result.getOrThrow(readSlipData(kbankSlipData(known), known))
const found: ReturnType<Bank["ask"]> = Effect.succeed({ answer: { _tag: "Found", transfer }, upstream: null })
const left = (remaining: number): VendorAccount => ({ remaining, limit: 100, expiresAt: null })

/** A vendor whose answers a test can change. */
const given = (name: string, price?: number) => {
  let account: Effect.Effect<VendorAccount, GatewayFailure> = Effect.succeed(left(100))
  let answer = found
  const calls = { account: 0, slip: 0 }
  const gateway = makeGateway({
    name,
    title: name.toUpperCase(),
    traits: { ...bankTraits(name), knowsAllSlips: true, charges: { notFound: false, repeat: true } },
    check: Effect.void,
    account: Effect.suspend(() => {
      calls.account++
      return account
    }),
    ask: () =>
      Effect.suspend(() => {
        calls.slip++
        return answer
      })
  }, { timeoutMillis: 4_000, concurrency: 20, sendingBanks: [], price })
  return {
    gateway,
    calls,
    setAccount: (next: typeof account) => void (account = next),
    setAnswer: (next: typeof answer) => void (answer = next)
  }
}

const askedOf = (name: string, outcome: string) =>
  Effect.map(Metric.snapshot, (metrics) => {
    const series = metrics.find(({ attributes, id }) =>
      id === "sliptrail_gateway_account_polls_total" && attributes?.["gateway"] === name
      && attributes["outcome"] === outcome
    )
    return series?.type === "Counter" ? Number(series.state.count) : 0
  })

describe("following the accounts at vendors", () => {
  it.effect("asks at once, then about every five minutes, until it is interrupted", function* () {
    const { calls, gateway } = given("europa")
    const fiber = yield* Effect.forkChild(followAccounts([gateway]))
    yield* TestClock.adjust("1 second")
    assert.strictEqual(calls.account, 1)
    yield* TestClock.adjust("3 minutes")
    assert.strictEqual(calls.account, 1)
    yield* TestClock.adjust("4 minutes")
    assert.strictEqual(calls.account, 2)
    yield* TestClock.adjust("1 hour")
    assert.isAtLeast(calls.account, 10)
    assert.isAtMost(calls.account, 18)
    const before = calls.account
    yield* Fiber.interrupt(fiber)
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(calls.account, before)
    assert.strictEqual(yield* askedOf("europa", "accepted"), before)
    assert.strictEqual(calls.slip, 0)
  })

  it.effect("keeps the last account when the vendor is away, and does not open the circuit for it", function* () {
    const { gateway, setAccount } = given("io")
    yield* Effect.forkChild(followAccounts([gateway]))
    yield* TestClock.adjust("1 second")
    setAccount(Effect.fail(gatewayFailed("it is down")))
    yield* TestClock.adjust("1 hour")
    assert.deepStrictEqual(gateway.status(0), { name: "io", account: left(100), chargedToday: 0 })
    setAccount(Effect.never)
    yield* TestClock.adjust("1 hour")
    assert.isAtLeast(yield* askedOf("io", "failed"), 15)
    assert.isUndefined(gateway.status(0).pause)
  })

  it.effect("skips an exhausted vendor at once, and asks it again as soon as questions are left", function* () {
    const { calls, gateway, setAccount } = given("titan")
    const other = given("rhea")
    const { verify } = makeFailover([gateway, other.gateway])
    setAccount(Effect.succeed(left(0)))
    yield* Effect.forkChild(followAccounts([gateway]))
    yield* TestClock.adjust("1 second")

    const reply = yield* verify(known)
    assert.deepStrictEqual([reply.gateway, reply.answer._tag, calls.slip], ["rhea", "Found", 0])
    assert.deepStrictEqual(reply.before.map(({ gateway, outcome, tookMillis }) => [gateway, outcome, tookMillis]), [
      ["titan", "quota-exhausted", 0]
    ])

    setAccount(Effect.succeed(left(40)))
    yield* TestClock.adjust("6 minutes")
    assert.strictEqual((yield* verify(known)).gateway, "titan")
    assert.strictEqual(calls.slip, 1)
  })

  it.effect("skips a vendor that refuses the key in its answer, until the account is accepted", function* () {
    const { calls, gateway, setAccount, setAnswer } = given("dione")
    const other = given("phoebe")
    const { verify } = makeFailover([gateway, other.gateway])
    setAnswer(Effect.fail(refused("key", "DIONE refuses the key")))
    setAccount(Effect.fail(refused("key", "DIONE refuses the key")))
    assert.deepStrictEqual((yield* verify(known)).before.map(({ outcome }) => outcome), ["not-authorised"])
    for (let times = 0; times < 3; times++) yield* verify(known)
    assert.strictEqual(calls.slip, 1)
    assert.deepStrictEqual(gateway.status(0).pause?.cause, "key")

    yield* Effect.forkChild(followAccounts([gateway]))
    yield* TestClock.adjust("20 minutes")
    yield* verify(known)
    assert.strictEqual(calls.slip, 1)
    setAnswer(found)
    setAccount(Effect.succeed(left(9)))
    yield* TestClock.adjust("6 minutes")
    assert.strictEqual((yield* verify(known)).gateway, "dione")
  })

  it.effect("reads the account again when no question should be left", function* () {
    const { calls, gateway, setAccount } = given("mimas")
    setAccount(Effect.succeed(left(2)))
    yield* Effect.forkChild(followAccounts([gateway]))
    yield* TestClock.adjust("1 second")
    yield* gateway.verify(known)
    assert.deepStrictEqual(gateway.status(0).account, left(1))
    setAccount(Effect.succeed(left(0)))
    yield* gateway.verify(known)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(calls.account, 2)
    assert.deepStrictEqual((yield* gateway.verify(known)).answer._tag, "QuotaExhausted")
    assert.strictEqual(calls.slip, 2)
  })

  it.effect("counts the trouble of the bank behind a vendor by slips, and reports it as trouble with the slip", function* () {
    const { gateway, setAnswer } = given("hyperion")
    const failure = slipFailed("the bank behind is down", null)
    setAnswer(Effect.fail(Object.assign(failure, { concerns: "source" as const })))
    for (let times = 0; times < 9; times++) {
      assert.deepInclude((yield* gateway.verify(known)).answer, { _tag: "Unavailable", concerns: "slip" })
    }
    assert.isUndefined(gateway.status(0).pause)
    for (const transRef of ["two", "three", "four", "five"]) yield* gateway.verify({ ...known, transRef })
    assert.strictEqual(gateway.status(0).pause?.cause, "failures")
  })

  it.effect("asks the cheapest vendor first when the order is by price", function* () {
    const dear = given("dear", 0.7)
    const cheap = given("cheap", 0.25)
    const { verify } = makeFailover([dear.gateway, cheap.gateway], "price")
    assert.strictEqual((yield* verify(known)).gateway, "cheap")
    cheap.setAnswer(Effect.fail(gatewayFailed("no answer")))
    const reply = yield* verify({ ...known, transRef: "another" })
    assert.deepStrictEqual([reply.gateway, reply.before.map(({ gateway }) => gateway)], ["dear", ["cheap"]])
    assert.deepStrictEqual([cheap.calls.slip, dear.calls.slip], [2, 1])
  })
})
