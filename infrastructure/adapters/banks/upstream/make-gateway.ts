import { Clock, Effect } from "effect"
import { makeFairPermits, type NoPermit } from "../../../../application/fairness/fair-permits.ts"
import { TRUEMONEY } from "../../../../domain/slip/wallet-payload.ts"
import {
  type GatewayAnswer,
  type GatewayReply,
  isWalletQuestion,
  type SlipQuestion,
  type WalletQuestion
} from "../../../../ports/bank-gateway.ts"
import type { VendorAccount } from "../../../../ports/gateway-status.ts"
import { makeCircuit, reportCircuit } from "./circuit.ts"
import {
  type BankAnswer,
  bankTraits,
  type Gateway,
  gatewayFailed,
  GatewayFailure,
  type GatewayTraits,
  refused,
  slipFailed
} from "./gateway.ts"
import { makeMeter } from "./meter.ts"

/** The limits and the price of a bank's gateway. */
export interface GatewayLimits {
  /** For one question, the token request included. */
  readonly timeoutMillis: number
  /** Questions at a time, at most half of them of one branch. More wait within their time limit. */
  readonly concurrency: number
  /** The sending banks whose slips this gateway is asked about; empty means all. Wallets are no banks. */
  readonly sendingBanks: ReadonlyArray<string>
  /** Price of one question in baht; absent when free or unknown. */
  readonly price?: number | undefined
}

/** The part of a gateway that is specific to one bank. */
export interface Bank {
  /** The name in `BANK_GATEWAYS`. */
  readonly name: string
  /** The name in messages. */
  readonly title: string
  readonly ask: (question: SlipQuestion) => Effect.Effect<BankAnswer, GatewayFailure>
  /** Asks about a TrueMoney slip; absent when the vendor cannot verify one. */
  readonly askWallet?: (question: WalletQuestion) => Effect.Effect<BankAnswer, GatewayFailure>
  readonly check: Effect.Effect<void, GatewayFailure>
  /** Those of a bank's own gateway when absent. */
  readonly traits?: GatewayTraits
  readonly account?: Effect.Effect<VendorAccount, GatewayFailure>
}

type Reply = Pick<GatewayReply, "answer" | "upstream">

/** Adds the time limit, the concurrency limit and the circuit breaker to a bank. */
export const makeGateway = (bank: Bank, limits: GatewayLimits): Gateway => {
  const { account, askWallet, check, name, title, traits = bankTraits(name) } = bank
  const { concurrency, price, sendingBanks, timeoutMillis } = limits
  const permits = makeFairPermits({
    ...placesOf(concurrency),
    // The time limit bounds the wait, and the rate limit how many questions a branch adds meanwhile.
    maxWaiting: Number.POSITIVE_INFINITY,
    maxWait: timeoutMillis
  })
  const meter = makeMeter({ name, title, charges: traits.charges, price })
  const limitedAccount = account === undefined ? undefined : Effect.timeoutOrElse(account, {
    duration: timeoutMillis,
    orElse: () => Effect.fail(gatewayFailed(`${title} said nothing about the account within ${timeoutMillis} ms`))
  })
  const checkAccount = limitedAccount?.pipe(
    Effect.tap(meter.setAccount),
    Effect.flatMap(requireQuota(title))
  )
  const circuit = makeCircuit({
    title,
    probeAccount: checkAccount ?? check,
    onChange: (failure) => Effect.andThen(reportCircuit(name, failure), logCircuit(title, failure))
  })
  const pollAccount = checkAccount === undefined ? undefined : circuit.observe(checkAccount)

  let isPolling = false
  const pollOnce = Effect.suspend(() => {
    if (isPolling || pollAccount === undefined) return Effect.void
    isPolling = true
    const poll = Effect.ensuring(Effect.ignore(pollAccount), Effect.sync(() => void (isPolling = false)))
    return Effect.forkDetach(poll)
  })

  /** A vendor may bill further questions without a word: the account is read again when no question should be left. */
  const charge = (slip: string) => (answer: BankAnswer) =>
    Effect.flatMap(meter.count(answer, slip), (isUsedUp) => isUsedUp ? pollOnce : Effect.void)

  const failedWaiting = (ahead: string) =>
    new GatewayFailure({
      why: `too little of ${timeoutMillis} ms was left for this question: ${ahead}`,
      retryAfterSeconds: OVERLOADED_SECONDS,
      upstream: null,
      concerns: "service"
    })
  const overloaded = failedWaiting(`${concurrency} questions to ${title} were ahead`)
  const busyBranch = failedWaiting(`other questions of its branch to ${title} were ahead`)

  const withinTime = (request: Effect.Effect<BankAnswer, GatewayFailure>, leftMillis: number) =>
    Effect.timeoutOrElse(request, {
      duration: leftMillis,
      orElse: () =>
        Effect.fail(
          // After a long wait for a permit, a timeout shows nothing about the bank.
          leftMillis < timeoutMillis / 2
            ? overloaded
            : gatewayFailed(`${title} gave no answer within ${timeoutMillis} ms`)
        )
    })

  const ask = (question: SlipQuestion | WalletQuestion) =>
    !isWalletQuestion(question)
      ? bank.ask(question)
      : askWallet?.(question) ?? Effect.fail(slipFailed(`${title} does not verify TrueMoney slips`, null))

  const askWithinLimits = (question: SlipQuestion | WalletQuestion, startedAt: number) =>
    Effect.suspend(() => {
      const openMillis = circuit.openMillis(startedAt)
      if (openMillis > 0) return Effect.fail(circuit.openFailure(openMillis))
      const slip = `${question.sendingBank}:${question.transRef}`
      // The circuit may ask about the account first: the question has the time that is left then.
      const request = Effect.flatMap(
        Clock.currentTimeMillis,
        (now) => withinTime(Effect.tap(ask(question), charge(slip)), startedAt + timeoutMillis - now)
      )
      return circuit.protect(request, slip).pipe(
        permits.withPermit(question.branchId),
        Effect.catchTag(
          "NoPermit",
          ({ reason }: NoPermit) => Effect.fail(reason === "own-share" ? busyBranch : overloaded)
        )
      )
    })

  return {
    name,
    traits,
    timeoutMillis,
    answersFor: (sendingBank) =>
      sendingBank === TRUEMONEY
        ? askWallet !== undefined
        : sendingBanks.length === 0 || sendingBanks.includes(sendingBank),
    check: limitedAccount === undefined ? check : Effect.asVoid(limitedAccount),
    ...(limitedAccount === undefined ? {} : { account: limitedAccount }),
    ...(pollAccount === undefined ? {} : { pollAccount }),
    status: (now) => {
      const pause = circuit.pause(now)
      return { name, ...meter.status(now), ...(pause === undefined ? {} : { pause }) }
    },
    verify: Effect.fnUntraced(function* (question) {
      const startedAt = yield* Clock.currentTimeMillis
      const reply = yield* Effect.match(askWithinLimits(question, startedAt), {
        onSuccess: (answer): Reply => answer,
        onFailure: (failure): Reply => ({ answer: unanswered(failure), upstream: failure.upstream })
      })
      return { gateway: name, tookMillis: (yield* Clock.currentTimeMillis) - startedAt, ...reply }
    })
  }
}

const OVERLOADED_SECONDS = 5

/** The places of a gateway. A fifth of them is for branches without a question, so that two branches cannot take all. */
const placesOf = (concurrency: number) => {
  const spare = Math.floor(concurrency / 5)
  return { size: concurrency - spare, perKey: Math.ceil(concurrency / 2), spare }
}

const unanswered = ({ concerns, refusal, retryAfterSeconds, why }: GatewayFailure): GatewayAnswer => {
  if (refusal === "quota") return { _tag: "QuotaExhausted", why, retryAfterSeconds }
  if (refusal !== undefined) return { _tag: "NotAuthorised", cause: refusal, why, retryAfterSeconds }
  if (concerns === "service") return { _tag: "Unavailable", why, retryAfterSeconds }
  return { _tag: "Unavailable", why, retryAfterSeconds, concerns: concerns === "source" ? "slip" : concerns }
}

const requireQuota = (title: string) => ({ remaining }: VendorAccount): Effect.Effect<void, GatewayFailure> =>
  remaining === null || remaining > 0
    ? Effect.void
    : Effect.fail(refused("quota", `no questions are left in the package of ${title}; buy more`))

const logCircuit = (title: string, failure: GatewayFailure | undefined): Effect.Effect<void> => {
  if (failure === undefined) return Effect.logInfo(`${title} answers again: its circuit is closed`)
  return failure.refusal === undefined
    ? Effect.logWarning(`${title} failed five times in a row: its circuit is open, with one test every ten seconds`)
    : Effect.logError(`${title} is not asked until it accepts the account: ${failure.why}`)
}
