import { Clock, Effect, Metric } from "effect"
import { CappedMap } from "../../../../domain/capped-map.ts"
import { bangkokDay } from "../../../../domain/time.ts"
import type { GatewayStatus, VendorAccount } from "../../../../ports/gateway-status.ts"
import { counterSeries } from "../../../platform/telemetry/metrics.ts"
import { accountWarnings } from "./account.ts"
import type { BankAnswer, Charges } from "./gateway.ts"

/** Counts what a vendor charges, and remembers the operator's account there. */
export interface Meter {
  /** Counts an answer about a slip. Returns true when no question is left by the last known account. */
  readonly count: (answer: BankAnswer, slip: string) => Effect.Effect<boolean>
  readonly setAccount: (account: VendorAccount) => Effect.Effect<void>
  readonly status: (now: number) => Pick<GatewayStatus, "account" | "chargedToday" | "price">
}

export interface MeterOptions {
  readonly name: string
  /** The name in messages. */
  readonly title: string
  readonly charges: Charges | undefined
  /** Price of one question in baht; undefined when unknown. */
  readonly price: number | undefined
}

type Outcome = "found" | "not_found"

/** The outcome that a vendor charges for; undefined when it charges nothing. `isRepeat`: it found the slip before. */
export const chargedOutcome = (
  { answer, isCharged }: BankAnswer,
  charges: Charges | undefined,
  isRepeat: boolean
): Outcome | undefined => {
  if (charges === undefined || isCharged === false) return undefined
  if (answer._tag === "Found") return isCharged ?? (charges.repeat || !isRepeat) ? "found" : undefined
  return answer._tag === "NotFound" && (isCharged ?? charges.notFound) ? "not_found" : undefined
}

/** The most slips that a process remembers as found by a vendor whose repeats are free. */
const MAX_SLIPS = 10_000

export const makeMeter = ({ charges, name, price, title }: MeterOptions): Meter => {
  const { charged, spent } = seriesOf(name)
  const found = new CappedMap<string, true>(MAX_SLIPS)
  let account: VendorAccount | undefined
  let today = { day: "", charged: 0 }
  let warned: ReadonlyArray<string> = []

  const setAccount = Effect.fnUntraced(function* (known: VendorAccount) {
    account = known
    yield* reportAccount(name, known)
    const warnings = accountWarnings(known, yield* Clock.currentTimeMillis)
    const fresh = warnings.filter(({ key }) => !warned.includes(key))
    warned = warnings.map(({ key }) => key)
    yield* Effect.forEach(fresh, ({ message }) => Effect.logWarning(`${title}: ${message}`), { discard: true })
  })

  const count = Effect.fnUntraced(function* (answer: BankAnswer, slip: string) {
    const outcome = chargedOutcome(answer, charges, found.has(slip))
    if (charges?.repeat === false && answer.answer._tag === "Found") found.set(slip, true)
    if (outcome !== undefined) {
      const day = bangkokDay(yield* Clock.currentTimeMillis)
      today = { day, charged: today.day === day ? today.charged + 1 : 1 }
      yield* Metric.update(charged[outcome], 1)
      if (price !== undefined) yield* Metric.update(spent, price)
    }
    if (answer.account !== undefined) yield* setAccount(answer.account)
    else if (outcome !== undefined && account !== undefined && account.remaining !== null) {
      account = { ...account, remaining: account.remaining - 1 }
      yield* reportAccount(name, account)
      return account.remaining !== null && account.remaining <= 0
    }
    return false
  })

  return {
    count,
    setAccount,
    status: (now) => ({
      ...(account === undefined ? {} : { account }),
      ...(charges === undefined ? {} : { chargedToday: today.day === bangkokDay(now) ? today.charged : 0 }),
      ...(price === undefined ? {} : { price })
    })
  }
}

const seriesOf = (gateway: string) => ({
  charged: {
    found: counterSeries(chargedQuestions, { gateway, outcome: "found" }),
    not_found: counterSeries(chargedQuestions, { gateway, outcome: "not_found" })
  },
  spent: counterSeries(spentBaht, { gateway })
})

/** Sets the gauges of an account. `NaN` means unknown or unlimited: alerts do not fire for it. */
const reportAccount = (gateway: string, { expiresAt, limit, remaining }: VendorAccount): Effect.Effect<void> => {
  const set = (gauge: Metric.Gauge<number>, value: number | null) =>
    Metric.update(Metric.withAttributes(gauge, { gateway }), value ?? Number.NaN)
  return Effect.all([
    set(remainingQuestions, remaining),
    set(questionLimit, limit),
    set(packageEnd, expiresAt === null ? null : expiresAt / 1_000)
  ], { discard: true })
}

/** Creates every series of a gateway: an alert needs the metric before the first answer. */
export const initialiseMeter = (gateway: string): Effect.Effect<void> => {
  const { charged, spent } = seriesOf(gateway)
  return Effect.all([
    Metric.update(charged.found, 0),
    Metric.update(charged.not_found, 0),
    Metric.update(spent, 0),
    reportAccount(gateway, { remaining: null, limit: null, expiresAt: null })
  ], { discard: true })
}

const chargedQuestions = Metric.counter("sliptrail_gateway_charged_total", {
  description: "Questions that the vendor of the gateway charges, by gateway and outcome",
  incremental: true
})
const spentBaht = Metric.counter("sliptrail_gateway_spent_baht_total", {
  description: "Price of the charged questions in baht, by the settings named *_PRICE",
  incremental: true
})
const remainingQuestions = Metric.gauge("sliptrail_gateway_questions_remaining", {
  description: "Questions that are left in the package of the gateway; NaN when unknown or unlimited"
})
const questionLimit = Metric.gauge("sliptrail_gateway_questions_limit", {
  description: "Questions in the package of the gateway; NaN when unknown"
})
const packageEnd = Metric.gauge("sliptrail_gateway_package_end_seconds", {
  description: "End of the package of the gateway, in seconds since 1970; NaN when unknown"
})
