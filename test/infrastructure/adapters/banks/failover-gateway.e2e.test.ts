import { assert, describe, it } from "../../../support/it.ts"
import { Effect, Fiber, Metric, Result } from "effect"
import { TestClock } from "effect/testing"
import type { GatewayAnswer } from "../../../../ports/bank-gateway.ts"
import { HOLD_MILLIS } from "../../../../ports/quota.ts"
import { layerFailover, makeFailover } from "../../../../infrastructure/adapters/banks/failover-gateway.ts"
import { bankTraits, type Gateway } from "../../../../infrastructure/adapters/banks/upstream/gateway.ts"
import { readSlipData } from "../../../../infrastructure/adapters/banks/upstream/slip-data.ts"
import { kbankSlipData } from "../../../support/banks/slip-data.ts"
import { assertUnavailable } from "./assert-unavailable.ts"
import { known } from "./given-banks.ts"

const found: GatewayAnswer = { _tag: "Found", transfer: Result.getOrThrow(readSlipData(kbankSlipData(known), known)) }
const notFound: GatewayAnswer = { _tag: "NotFound" }
const pending: GatewayAnswer = { _tag: "Pending", retryAfterSeconds: 9 }
const down = (retryAfterSeconds = 30): GatewayAnswer => ({ _tag: "Unavailable", why: "it is down", retryAfterSeconds })

interface Options {
  readonly millis?: number
  readonly banks?: ReadonlyArray<string>
}

/** A gateway that always gives the same answer, after a delay. */
const gateway = (name: string, answer: GatewayAnswer, { banks, millis = 0 }: Options = {}): Gateway => ({
  name,
  traits: bankTraits(name),
  timeoutMillis: 4_000,
  answersFor: (bank) => banks === undefined || banks.includes(bank),
  check: Effect.void,
  status: () => ({ name }),
  verify: () =>
    Effect.as(Effect.sleep(millis), { gateway: name, tookMillis: millis, answer, upstream: `${name} said so` })
})

const ask = (...gateways: ReadonlyArray<Gateway>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(makeFailover(gateways).verify(known))
    yield* TestClock.adjust("20 seconds")
    return yield* Fiber.join(fiber)
  })

const passed = (name: string) => ({ gateway: name, tookMillis: 0, outcome: "unavailable" as const, why: "it is down" })

describe("failover among gateways", () => {
  it.effect.each([found, notFound, pending])("ends with the first definite answer: $_tag", function* (answer) {
    const reply = yield* ask(gateway("kbank", answer), gateway("scb", found))

    assert.deepStrictEqual(reply, {
      gateway: "kbank",
      tookMillis: 0,
      answer,
      upstream: "kbank said so",
      before: []
    })
  })

  it.effect.each([found, pending])(
    "uses the answer of a later gateway when the first is unavailable: $_tag",
    function* (answer) {
      const reply = yield* ask(gateway("kbank", down()), gateway("scb", down()), gateway("sandbox", answer))

      assert.strictEqual(reply.gateway, "sandbox")
      assert.deepStrictEqual(reply.answer, answer)
      assert.strictEqual(reply.upstream, "sandbox said so")
      assert.deepStrictEqual(reply.before, [passed("kbank"), passed("scb")])
    }
  )

  it.effect("is unavailable when a later gateway does not know the slip", function* () {
    const reply = yield* ask(gateway("kbank", down(12)), gateway("scb", notFound), gateway("sandbox", found))

    assertUnavailable(reply, /scb does not know the slip, but kbank gave no answer/u)
    assert.deepInclude(reply.answer, { retryAfterSeconds: 12 })
    assert.strictEqual(reply.gateway, "scb")
    assert.strictEqual(reply.upstream, "scb said so")
    assert.deepStrictEqual(reply.before, [passed("kbank")])
  })

  it.effect("reports the last gateway and the shortest delay when all are unavailable", function* () {
    const reply = yield* ask(gateway("kbank", down(7)), gateway("scb", down(30)))

    assert.deepStrictEqual(reply.answer, { _tag: "Unavailable", why: "it is down", retryAfterSeconds: 7 })
    assert.strictEqual(reply.gateway, "scb")
    assert.strictEqual(reply.upstream, "scb said so")
    assert.deepStrictEqual(reply.before, [passed("kbank")])
  })

  it.effect("does not believe a NotFound while a paused gateway might know the slip, in the order by price", function* () {
    const paused: Gateway = {
      ...gateway("kbank", down()),
      status: () => ({ name: "kbank", pause: { cause: "failures", leftMillis: 5_000 } })
    }
    const reply = yield* makeFailover([gateway("scb", notFound), paused], "price").verify(known)
    assertUnavailable(reply, /scb does not know the slip, but kbank gave no answer/u)
  })

  it.effect("skips a gateway that does not serve the bank", function* () {
    const reply = yield* ask(gateway("kbank", down(), { banks: ["004"] }), gateway("scb", notFound))

    assert.deepStrictEqual(reply.answer, notFound)
    assert.deepStrictEqual(reply.before, [])
  })

  it.effect("is unavailable when no gateway serves the bank", function* () {
    const reply = yield* ask(gateway("kbank", found, { banks: ["004"] }), gateway("scb", found, { banks: [] }))

    assertUnavailable(reply, /no gateway of BANK_GATEWAYS serves slips of bank 014/u)
    assert.deepInclude(reply, { gateway: "none", upstream: null, before: [] })
  })

  it.effect("ends before the reservation of quota expires", function* () {
    const slow = (name: string) => gateway(name, down(), { millis: 4_000 })
    const fiber = yield* Effect.forkChild(
      makeFailover([slow("kbank"), slow("scb"), gateway("sandbox", found, { millis: 3_000 })]).verify(known)
    )
    yield* TestClock.adjust("8999 millis")
    assert.isUndefined(fiber.pollUnsafe())
    yield* TestClock.adjust("1 millis")

    const reply = yield* Fiber.join(fiber)

    assert.isAbove(HOLD_MILLIS, 9_000)
    assertUnavailable(reply, /sandbox gave no answer within the 1000 ms that were left of 9000/u)
    assert.deepStrictEqual(reply.before.map(({ gateway, tookMillis }) => [gateway, tookMillis]), [
      ["kbank", 4_000],
      ["scb", 4_000]
    ])
  })

  it.effect("skips a gateway when no time is left", function* () {
    const slow = { ...gateway("kbank", down(), { millis: 20_000 }), timeoutMillis: 20_000 }
    const reply = yield* ask(slow, gateway("scb", found))

    assert.strictEqual(reply.gateway, "kbank")
    assertUnavailable(reply, /no answer within the 9000 ms/u)
  })

  it.effect("counts and times every answer, and has a metric of every circuit from the start", function* () {
    yield* Effect.scoped(Effect.provide(
      Effect.void,
      layerFailover(Effect.succeed([gateway("mercury", down()), gateway("venus", found)]))
    ))
    yield* ask(gateway("mercury", down()), gateway("venus", found))

    const series = (yield* Metric.snapshot).flatMap(({ attributes, id, state }) =>
      ["mercury", "venus"].includes(String(attributes?.["gateway"])) ? [{ id, attributes, state }] : []
    )
    const counts = series.filter(({ id }) => id === "sliptrail_gateway_answers_total")
      .map(({ attributes }) => `${attributes?.["gateway"]} ${attributes?.["outcome"]}`)
    assert.sameMembers(counts, ["mercury unavailable", "venus found"])
    assert.lengthOf(series.filter(({ id }) => id === "sliptrail_gateway_seconds"), 2)
    assert.lengthOf(series.filter(({ id }) => id === "sliptrail_gateway_circuit_open"), 2)
  })

  const paid = (name: string, answers: () => GatewayAnswer, isWeak: boolean) => {
    let questions = 0
    const one: Gateway = {
      ...gateway(name, notFound),
      traits: { ...bankTraits(name), charges: { notFound: false, repeat: false }, knowsAllSlips: true },
      verify: () =>
        Effect.sync(() => {
          questions++
          const answer = answers()
          return {
            gateway: name,
            tookMillis: 5,
            answer: answer._tag === "NotFound" ? { ...answer, isWeak } : answer,
            upstream: "body"
          }
        })
    }
    return { one, questions: () => questions }
  }

  it.effect("does not ask a paid gateway again within a minute about a slip that it did not know", function* () {
    const { one, questions } = paid("venus", () => notFound, false)
    const { verify } = makeFailover([one])
    assert.deepStrictEqual((yield* verify(known)).answer, notFound)

    yield* TestClock.adjust("59 seconds")
    const repeated = yield* verify(known)
    assert.deepStrictEqual([repeated.answer, repeated.upstream, questions()], [notFound, null, 1])
    assert.deepInclude(repeated.before, {
      gateway: "venus",
      tookMillis: 0,
      outcome: "not-found",
      why: "venus did not know the slip 59 s ago, and is not asked again within a minute"
    })
    yield* verify({ ...known, transRef: "another" })
    assert.strictEqual(questions(), 2)

    yield* TestClock.adjust("1 second")
    yield* verify(known)
    assert.strictEqual(questions(), 3)
  })

  it.effect("believes an uncertain NotFound when the gateway repeats it after a minute", function* () {
    const { one, questions } = paid("venus", () => notFound, true)
    const { verify } = makeFailover([one])
    const first = yield* verify(known)
    assertUnavailable(first, /venus does not know the slip, but can be wrong/u)
    yield* TestClock.adjust("30 seconds")
    assert.deepInclude((yield* verify(known)).answer, { _tag: "Unavailable", retryAfterSeconds: 30 })
    yield* TestClock.adjust("30 seconds")
    assert.deepStrictEqual((yield* verify(known)).answer, { _tag: "NotFound" })
    assert.strictEqual(questions(), 2)
  })

  it.effect("records and counts a gateway that denied a slip which another one found", function* () {
    const { one } = paid("pluto", () => notFound, true)
    const reply = yield* makeFailover([one, gateway("scb", found)]).verify(known)
    assert.deepStrictEqual(reply.answer, found)
    assert.deepStrictEqual(reply.before.map(({ gateway, outcome }) => [gateway, outcome]), [["pluto", "not-found"]])
    const counted = (yield* Metric.snapshot).filter(({ attributes, id }) =>
      id === "sliptrail_gateway_disagreements_total" && attributes?.["gateway"] === "pluto"
    )
    assert.lengthOf(counted, 1)
  })
})
