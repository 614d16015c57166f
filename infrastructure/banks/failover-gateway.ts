import { Clock, Effect, Layer, Metric, type Scope } from "effect"
import {
  BankGateway,
  type GatewayAnswer,
  type GatewayReply,
  type InconclusiveReply,
  type SlipQuestion
} from "../../ports/bank-gateway.ts"
import { counterSeries } from "../telemetry/metrics.ts"
import { reportCircuit } from "./upstream/circuit.ts"
import type { Gateway } from "./upstream/gateway.ts"

type Reply = Omit<GatewayReply, "before">
type Unavailable = Extract<GatewayAnswer, { readonly _tag: "Unavailable" }>
type UnavailableReply = Reply & { readonly answer: Unavailable }

/** A unit of quota is reserved for ten seconds (`HOLD_MILLIS`). Its charge must be appended within this time. */
const TIME_LIMIT_MILLIS = 9_000

/** The stated delay when no gateway serves a bank: an operator must change a setting first. */
const NOT_SERVED_SECONDS = 300

/**
 * Asks the gateways in order until one gives a definite answer.
 *
 * A `NotFound` after an unavailable gateway becomes `Unavailable`: the unavailable gateway might know the slip, and an
 * outage must not make a real slip look fake.
 */
export const makeFailover = (gateways: ReadonlyArray<Gateway>): BankGateway["Service"] => {
  const measuredGateways = gateways.map((gateway) => ({ gateway, ask: measured(gateway) }))

  const verify = Effect.fnUntraced(function* (question: SlipQuestion) {
    const deadline = (yield* Clock.currentTimeMillis) + TIME_LIMIT_MILLIS
    const passed: Array<UnavailableReply> = []
    for (const { ask, gateway } of measuredGateways) {
      const leftMillis = deadline - (yield* Clock.currentTimeMillis)
      if (!gateway.answersFor(question.sendingBank) || leftMillis <= 0) continue
      const reply = yield* ask(question, leftMillis)
      if (!isUnavailable(reply)) return definiteReply(reply, passed)
      passed.push(reply)
    }
    return unavailableReply(question, passed)
  })

  return BankGateway.of({ verify })
}

/** The gateways of this process, asked in this order. */
export const layerFailover = <E>(
  gateways: Effect.Effect<ReadonlyArray<Gateway>, E, Scope.Scope>
): Layer.Layer<BankGateway, E> =>
  Layer.effect(
    BankGateway,
    gateways.pipe(
      // An alert needs the metric before the first failure.
      Effect.tap(Effect.forEach(({ name }) => reportCircuit(name, false), { discard: true })),
      Effect.map(makeFailover)
    )
  )

/** Asks a gateway within the time that is left and records the answer in the metrics. */
const measured = (gateway: Gateway) => {
  const { name, timeoutMillis } = gateway
  const record = makeAnswerMetrics(name)
  const outOfTime = (leftMillis: number): Reply => ({
    gateway: name,
    tookMillis: leftMillis,
    answer: {
      _tag: "Unavailable",
      why: `${name} gave no answer within the ${leftMillis} ms that were left of ${TIME_LIMIT_MILLIS} ms`,
      retryAfterSeconds: 5
    },
    upstream: null
  })
  return Effect.fnUntraced(function* (question: SlipQuestion, leftMillis: number) {
    const startedAt = performance.now()
    const reply = yield* timeoutMillis <= leftMillis
      ? gateway.verify(question)
      : Effect.timeoutOrElse(gateway.verify(question), {
        duration: leftMillis,
        orElse: () => Effect.succeed(outOfTime(leftMillis))
      })
    yield* record(reply.answer._tag, (performance.now() - startedAt) / 1_000)
    return reply
  })
}

const isUnavailable = (reply: Reply): reply is UnavailableReply => reply.answer._tag === "Unavailable"

const toInconclusive = (replies: ReadonlyArray<UnavailableReply>): ReadonlyArray<InconclusiveReply> =>
  replies.map(({ answer: { why }, gateway, tookMillis }) => ({ gateway, tookMillis, why }))

const shortestRetry = (replies: ReadonlyArray<UnavailableReply>): number =>
  Math.min(...replies.map(({ answer }) => answer.retryAfterSeconds))

const definiteReply = (reply: Reply, passed: ReadonlyArray<UnavailableReply>): GatewayReply => {
  const before = toInconclusive(passed)
  if (reply.answer._tag !== "NotFound" || before.length === 0) return { ...reply, before }
  const names = before.map(({ gateway }) => gateway).join(", ")
  const why = `${reply.gateway} does not know the slip, but ${names} gave no answer and might know it`
  return { ...reply, answer: { _tag: "Unavailable", why, retryAfterSeconds: shortestRetry(passed) }, before }
}

const unavailableReply = (
  { sendingBank }: SlipQuestion,
  passed: ReadonlyArray<UnavailableReply>
): GatewayReply => {
  const last = passed.at(-1)
  if (last === undefined) {
    const why = `no gateway of BANK_GATEWAYS serves slips of bank ${sendingBank}: `
      + "see SCB_SENDING_BANKS and KBANK_SENDING_BANKS"
    const answer: Unavailable = { _tag: "Unavailable", why, retryAfterSeconds: NOT_SERVED_SECONDS }
    return { gateway: "none", tookMillis: 0, answer, upstream: null, before: [] }
  }
  const answer = { ...last.answer, retryAfterSeconds: shortestRetry(passed) }
  return { ...last, answer, before: toInconclusive(passed.slice(0, -1)) }
}

type Outcome = GatewayAnswer["_tag"]

/** The metrics of one gateway's answers. */
const makeAnswerMetrics = (gateway: string) => {
  const series = (outcome: string) => ({
    count: counterSeries(answers, { gateway, outcome }),
    duration: durationsOf({ gateway, outcome })
  })
  const byOutcome: Readonly<Record<Outcome, ReturnType<typeof series>>> = {
    Found: series("found"),
    NotFound: series("not_found"),
    Pending: series("pending"),
    Unavailable: series("unavailable")
  }
  return (outcome: Outcome, seconds: number): Effect.Effect<void> =>
    Effect.andThen(Metric.update(byOutcome[outcome].count, 1), Metric.update(byOutcome[outcome].duration, seconds))
}

const answers = Metric.counter("sliptrail_gateway_answers_total", {
  description: "Questions to the gateways of banks, by gateway and outcome",
  incremental: true
})
const durationsOf = (attributes: Readonly<Record<string, string>>) =>
  Metric.histogram("sliptrail_gateway_seconds", {
    description: "Time from a question to a bank's gateway until its answer",
    boundaries: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8],
    attributes
  })
