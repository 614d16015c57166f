import { Effect, Exit, Metric, Schedule } from "effect"
import { counterSeries, failureOf } from "../../platform/telemetry/metrics.ts"
import type { Gateway, GatewayFailure } from "./upstream/gateway.ts"

/** Vendors may limit questions about the account. The jitter separates processes that start together. */
const INTERVAL = Schedule.jittered(Schedule.spaced("5 minutes"))

/**
 * Asks each vendor for the operator's account, at once and then every five minutes. Runs until it is interrupted.
 *
 * Every process that asks banks does this: the circuit of each process depends on it.
 */
export const followAccounts = (gateways: ReadonlyArray<Gateway>): Effect.Effect<void> =>
  Effect.forEach(
    gateways,
    ({ name, pollAccount }) =>
      pollAccount === undefined ? Effect.void : Effect.repeat(poll(name, pollAccount), INTERVAL),
    { concurrency: "unbounded", discard: true }
  )

const poll = (gateway: string, pollAccount: Effect.Effect<void, GatewayFailure>): Effect.Effect<void> =>
  Effect.flatMap(Effect.exit(pollAccount), (exit) => {
    const outcome = outcomeOf(exit)
    const count = Metric.update(counterSeries(polls, { gateway, outcome }), 1)
    const failure = failureOf(exit)
    return outcome === "failed" && failure !== undefined
      ? Effect.andThen(count, Effect.logWarning(`the account at ${gateway} is unknown: ${failure.why}`))
      : count
  })

type Outcome = "accepted" | "refused" | "failed"

const outcomeOf = (exit: Exit.Exit<void, GatewayFailure>): Outcome => {
  if (Exit.isSuccess(exit)) return "accepted"
  return failureOf(exit)?.refusal === undefined ? "failed" : "refused"
}

/** Creates every series of a gateway. */
export const initialisePolls = (gateway: string): Effect.Effect<void> =>
  Effect.forEach(
    ["accepted", "refused", "failed"] satisfies ReadonlyArray<Outcome>,
    (outcome) => Metric.update(counterSeries(polls, { gateway, outcome }), 0),
    { discard: true }
  )

const polls = Metric.counter("sliptrail_gateway_account_polls_total", {
  description: "Questions about the operator's account at the vendor of a gateway, by outcome",
  incremental: true
})
