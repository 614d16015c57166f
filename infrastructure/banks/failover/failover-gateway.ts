import { Clock, Effect, Layer, type Scope } from "effect"
import { BankGateway, type GatewayReply, type Passed, type SlipQuestion } from "../../../ports/bank-gateway.ts"
import { makeAnswerReport, reportCircuit } from "../upstream/gateway-metrics.ts"
import type { Gateway } from "../upstream/gateway.ts"

type Reply = Omit<GatewayReply, "before">
type Unavailable = Extract<GatewayReply["answer"], { readonly _tag: "Unavailable" }>
type UnavailableReply = Reply & { readonly answer: Unavailable }

/** A unit of quota is held for ten seconds at most (`HOLD_MILLIS`), and its charge has to be appended within them. */
const MOST_MILLIS = 9_000

/**
 * Asks one gateway after the other, in their order, until one makes a clear statement.
 *
 * What a later one finds is found. That a later one does not know a slip says little where an earlier one, which might
 * know it, could not be asked: a slip is never called fake because a bank was down, so that stays `Unavailable`.
 */
export const makeFailover = (gateways: ReadonlyArray<Gateway>): BankGateway["Service"] => {
  const asked = gateways.map((gateway) => ({ gateway, ask: measured(gateway) }))

  const verify = Effect.fnUntraced(function* (question: SlipQuestion) {
    const until = (yield* Clock.currentTimeMillis) + MOST_MILLIS
    const passed: Array<UnavailableReply> = []
    for (const { ask, gateway } of asked) {
      const leftMillis = until - (yield* Clock.currentTimeMillis)
      if (!gateway.answersFor(question.sendingBank) || leftMillis <= 0) continue
      const reply = yield* ask(question, leftMillis)
      if (!isUnavailable(reply)) return stated(reply, passed)
      passed.push(reply)
    }
    return unavailable(question, passed)
  })

  return BankGateway.of({ verify })
}

/** The banks' gateways of this process, asked in this order. */
export const layerFailover = <E>(
  gateways: Effect.Effect<ReadonlyArray<Gateway>, E, Scope.Scope>
): Layer.Layer<BankGateway, E> =>
  Layer.effect(
    BankGateway,
    gateways.pipe(
      // Series that are there from the start can be watched from the start.
      Effect.tap(Effect.forEach(({ name }) => reportCircuit(name, false), { discard: true })),
      Effect.map(makeFailover)
    )
  )

/** Asks a gateway within the time that is left, and reports what came of it. */
const measured = (gateway: Gateway) => {
  const { name, timeoutMillis } = gateway
  const report = makeAnswerReport(name)
  const late = (leftMillis: number): Reply => ({
    gateway: name,
    tookMillis: leftMillis,
    answer: {
      _tag: "Unavailable",
      why: `${name} gave no answer in the ${leftMillis} ms that were left of ${MOST_MILLIS}`,
      retryAfterSeconds: 5
    },
    upstream: null
  })
  return Effect.fnUntraced(function* (question: SlipQuestion, leftMillis: number) {
    const begun = performance.now()
    const reply = yield* timeoutMillis <= leftMillis
      ? gateway.verify(question)
      : Effect.timeoutOrElse(gateway.verify(question), {
        duration: leftMillis,
        orElse: () => Effect.succeed(late(leftMillis))
      })
    yield* report(reply.answer._tag, (performance.now() - begun) / 1_000)
    return reply
  })
}

const isUnavailable = (reply: Reply): reply is UnavailableReply => reply.answer._tag === "Unavailable"

const beforeIn = (passed: ReadonlyArray<UnavailableReply>): ReadonlyArray<Passed> =>
  passed.map(({ answer: { why }, gateway, tookMillis }) => ({ gateway, tookMillis, why }))

const soonest = (passed: ReadonlyArray<UnavailableReply>): number =>
  Math.min(...passed.map(({ answer }) => answer.retryAfterSeconds))

const stated = (reply: Reply, passed: ReadonlyArray<UnavailableReply>): GatewayReply => {
  const before = beforeIn(passed)
  if (reply.answer._tag !== "NotFound" || before.length === 0) return { ...reply, before }
  const names = before.map(({ gateway }) => gateway).join(", ")
  const why = `${reply.gateway} does not know the slip, but ${names} could not say, and might know it`
  return { ...reply, answer: { _tag: "Unavailable", why, retryAfterSeconds: soonest(passed) }, before }
}

const unavailable = ({ sendingBank }: SlipQuestion, passed: ReadonlyArray<UnavailableReply>): GatewayReply => {
  const last = passed.at(-1)
  if (last === undefined) {
    const why = `no gateway of BANK_GATEWAYS is asked about slips of bank ${sendingBank}: see SCB_SENDING_BANKS and `
      + "KBANK_SENDING_BANKS"
    const answer: Unavailable = { _tag: "Unavailable", why, retryAfterSeconds: UNSERVED_SECONDS }
    return { gateway: "none", tookMillis: 0, answer, upstream: null, before: [] }
  }
  const answer = { ...last.answer, retryAfterSeconds: soonest(passed) }
  return { ...last, answer, before: beforeIn(passed.slice(0, -1)) }
}

/** Somebody has to change a setting first. */
const UNSERVED_SECONDS = 300
