import { Clock, Context, Effect, Layer, Metric, type Scope } from "effect"
import { CappedMap } from "../../../domain/capped-map.ts"
import { slipAge } from "../../../domain/slip/transfer-time.ts"
import { TRUEMONEY } from "../../../domain/slip/wallet-payload.ts"
import { waitLeft } from "../../../domain/waits.ts"
import {
  BankGateway,
  type EarlierReply,
  type GatewayAnswer,
  type GatewayReply,
  type SlipQuestion,
  type WalletQuestion
} from "../../../ports/bank-gateway.ts"
import { GatewayStatuses } from "../../../ports/gateway-status.ts"
import { counterSeries } from "../../platform/telemetry/metrics.ts"
import { type AskingOrder, makeAskingOrder } from "./asking-order.ts"
import { type AgedSlip, CONFIRM_MILLIS, decide, decideAtEnd, describeStatement, type Statement } from "./consensus.ts"
import { followAccounts, initialisePolls } from "./follow-accounts.ts"
import { reportCircuit } from "./upstream/circuit.ts"
import type { Gateway } from "./upstream/gateway.ts"
import { initialiseMeter } from "./upstream/meter.ts"

/** A unit of quota is reserved for ten seconds (`HOLD_MILLIS`). Its charge must be appended within this time. */
const TIME_LIMIT_MILLIS = 9_000

/** The stated delay when no gateway serves a bank: an operator must change a setting first. */
const NOT_SERVED_SECONDS = 300

type Question = SlipQuestion | WalletQuestion
type Reply = Omit<GatewayReply, "before">
type Asked = Statement & Reply

/**
 * Asks the gateways in order, one at a time, until their statements give an answer (`belief.ts`).
 *
 * A slip that a paid gateway did not know is not asked about again for a minute: buyers press the button repeatedly, and
 * each question costs money. The memory is that of the process.
 */
export const makeFailover = (
  gateways: ReadonlyArray<Gateway>,
  askingOrder: AskingOrder = "configured"
): BankGateway["Service"] => {
  const asks = new Map(gateways.map((gateway) => [gateway, measured(gateway)]))
  const order = makeAskingOrder(gateways, askingOrder)
  const denials = new CappedMap<string, Denial>(MAX_DENIALS)

  const askInOrder = Effect.fnUntraced(function* (question: Question, aged: AgedSlip, earlier: Denial | undefined) {
    const startedAt = yield* Clock.currentTimeMillis
    const deadline = startedAt + TIME_LIMIT_MILLIS
    const slip = slipKey(question)
    const asked: Array<Asked> = []
    for (const turn of order.forSlip(slip, startedAt)) {
      const { gateway } = turn
      const ask = asks.get(gateway)
      const leftMillis = deadline - (yield* Clock.currentTimeMillis)
      if (ask === undefined || !gateway.answersFor(question.sendingBank) || leftMillis <= 0) continue
      const reply = yield* ask(question, leftMillis)
      order.asked(turn, slip, reply.answer)
      asked.push({ ...reply, traits: gateway.traits })
      const answer = decide(asked, aged)
      if (answer !== undefined) return { asked, answer }
    }
    return asked.length === 0 ? undefined : { asked, answer: decideAtEnd(asked, aged, repeats(asked, earlier)) }
  })

  const verify = Effect.fnUntraced(function* (question: Question) {
    const { sendingBank, transRef } = question
    const startedAt = yield* Clock.currentTimeMillis
    const key = slipKey(question)
    const earlier = denials.get(key)
    const leftMillis = earlier === undefined ? 0 : waitLeft(earlier.until, startedAt, CONFIRM_MILLIS)
    if (earlier !== undefined && leftMillis > 0) return repeatDenial(earlier, startedAt, leftMillis)

    const presentedAt = Math.min(question.presentedAt ?? startedAt, earlier?.presentedAt ?? startedAt)
    const age = slipAge(sendingBank, transRef, startedAt, presentedAt)
    const outcome = yield* askInOrder(question, { sendingBank, age }, earlier)
    if (outcome === undefined) return notServed(sendingBank)
    const { answer, asked } = outcome
    const reply = toReply(asked, answer)
    if (answer._tag === "Found") {
      denials.delete(key)
      yield* reportDisagreement(asked)
    } else if (asked.some(isPaidDenial)) {
      denials.set(key, denialOf(reply, asked, presentedAt, yield* Clock.currentTimeMillis))
    }
    return reply
  })

  return BankGateway.of({ verify, verifiesWallets: gateways.some(({ answersFor }) => answersFor(TRUEMONEY)) })
}

const slipKey = ({ sendingBank, transRef }: Question): string => `${sendingBank}:${transRef}`

/** The most slips that paid gateways did not know and that a process remembers. */
const MAX_DENIALS = 10_000

/** The answer about a slip that a paid gateway did not know. */
interface Denial {
  readonly at: number
  /** When a branch of this process presented the slip for the first time, in milliseconds since 1970. */
  readonly presentedAt: number
  /** Until when no gateway is asked again, in milliseconds since 1970. */
  readonly until: number
  readonly reply: GatewayReply
  /** The gateways that did not know the slip. */
  readonly gateways: ReadonlyArray<string>
}

const isDenial = ({ answer }: Statement): boolean => answer._tag === "NotFound"
const isPaidDenial = (statement: Statement): boolean => isDenial(statement) && statement.traits.charges !== undefined

const denialOf = (reply: GatewayReply, asked: ReadonlyArray<Asked>, presentedAt: number, now: number): Denial => ({
  at: now,
  presentedAt,
  until: now
    + Math.min(
      CONFIRM_MILLIS,
      "retryAfterSeconds" in reply.answer ? reply.answer.retryAfterSeconds * 1_000 : CONFIRM_MILLIS
    ),
  // The log holds the evidence already.
  reply: { ...reply, tookMillis: 0, upstream: null },
  gateways: asked.filter(isDenial).map(({ gateway }) => gateway)
})

const repeats = (asked: ReadonlyArray<Asked>, earlier: Denial | undefined): boolean =>
  earlier !== undefined
  && asked.some((statement) => isDenial(statement) && earlier.gateways.includes(statement.gateway))

const repeatDenial = ({ at, gateways, reply }: Denial, now: number, leftMillis: number): GatewayReply => {
  const { answer } = reply
  const seconds = Math.max(1, Math.round((now - at) / 1_000))
  const why = `did not know the slip ${seconds} s ago, and is not asked again within a minute`
  return {
    ...reply,
    answer: "retryAfterSeconds" in answer ? { ...answer, retryAfterSeconds: Math.ceil(leftMillis / 1_000) } : answer,
    before: gateways.map((gateway): EarlierReply => ({
      gateway,
      tookMillis: 0,
      outcome: "not-found",
      why: `${gateway} ${why}`
    }))
  }
}

/** The last gateway's reply with the answer that all statements give together. */
const toReply = (asked: ReadonlyArray<Asked>, answer: GatewayAnswer): GatewayReply => {
  const [last, ...others] = asked.toReversed()
  return {
    gateway: last?.gateway ?? "none",
    tookMillis: last?.tookMillis ?? 0,
    answer,
    upstream: last?.upstream ?? null,
    before: others.toReversed().flatMap((statement): ReadonlyArray<EarlierReply> => {
      const described = describeStatement(statement)
      return described === undefined
        ? []
        : [{ gateway: statement.gateway, tookMillis: statement.tookMillis, ...described }]
    })
  }
}

const notServed = (sendingBank: string): GatewayReply => ({
  gateway: "none",
  tookMillis: 0,
  answer: {
    _tag: "Unavailable",
    why: sendingBank === TRUEMONEY
      ? "no gateway of BANK_GATEWAYS verifies TrueMoney slips"
      : `no gateway of BANK_GATEWAYS serves slips of bank ${sendingBank}: see the settings named *_SENDING_BANKS`,
    retryAfterSeconds: NOT_SERVED_SECONDS
  },
  upstream: null,
  before: []
})

const startMetrics = ({ name }: Gateway): Effect.Effect<void> =>
  Effect.all([
    reportCircuit(name, undefined),
    initialiseMeter(name),
    initialisePolls(name),
    Metric.update(counterSeries(disagreements, { gateway: name }), 0)
  ], { discard: true })

/** A gateway that denies a slip that another one knows is wrong about slips: the operator must know. */
const reportDisagreement = (asked: ReadonlyArray<Asked>): Effect.Effect<void> =>
  Effect.forEach(
    asked.filter(isDenial),
    ({ gateway }) =>
      Effect.andThen(
        Metric.update(counterSeries(disagreements, { gateway }), 1),
        Effect.logWarning(`${gateway} did not know a slip that ${asked.at(-1)?.gateway} found afterwards`)
      ),
    { discard: true }
  )

const disagreements = Metric.counter("sliptrail_gateway_disagreements_total", {
  description: "Slips that the gateway did not know and another gateway found",
  incremental: true
})

/** The gateways of this process, and what is known of them. */
export const layerFailover = <E>(
  gateways: Effect.Effect<ReadonlyArray<Gateway>, E, Scope.Scope>,
  askingOrder: AskingOrder = "configured"
): Layer.Layer<BankGateway | GatewayStatuses, E> =>
  Layer.effectContext(Effect.gen(function* () {
    const all = yield* gateways
    // An alert needs the metric before the first failure.
    yield* Effect.forEach(all, startMetrics, { discard: true })
    return Context.make(BankGateway, makeFailover(all, askingOrder)).pipe(
      Context.add(GatewayStatuses, {
        all: Effect.map(Clock.currentTimeMillis, (now) => all.map(({ status }) => status(now))),
        follow: followAccounts(all)
      })
    )
  }))

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
  return (question: Question, leftMillis: number) =>
    Effect.contextWith((context: Context.Context<never>) => {
      const startedAt = performance.now()
      const asked = timeoutMillis <= leftMillis
        ? gateway.verify(question)
        : Effect.timeoutOrElse(gateway.verify(question), {
          duration: leftMillis,
          orElse: () => Effect.succeed(outOfTime(leftMillis))
        })
      return Effect.map(asked, (reply) => {
        record(reply.answer._tag, (performance.now() - startedAt) / 1_000, context)
        return reply
      })
    })
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
    Unavailable: series("unavailable"),
    NotAuthorised: series("not_authorised"),
    QuotaExhausted: series("quota_exhausted")
  }
  return (outcome: Outcome, seconds: number, context: Context.Context<never>): void => {
    const { count, duration } = byOutcome[outcome]
    count.updateUnsafe(1, context)
    duration.updateUnsafe(seconds, context)
  }
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
