import { Effect, Metric } from "effect"
import type { GatewayAnswer } from "../../../ports/bank-gateway.ts"

type Outcome = GatewayAnswer["_tag"]

/** Reports what came of questions to one gateway, and after how many seconds. */
export const makeAnswerReport = (gateway: string) => {
  const of = (outcome: Outcome) => {
    const labels = { gateway, outcome: words[outcome] }
    return { count: Metric.withAttributes(answers, labels), duration: Metric.withAttributes(durations, labels) }
  }
  // Made once: to put labels on a metric costs more than to count.
  const labelled = {
    Found: of("Found"),
    NotFound: of("NotFound"),
    Pending: of("Pending"),
    Unavailable: of("Unavailable")
  }
  return (outcome: Outcome, seconds: number): Effect.Effect<void> =>
    Effect.andThen(Metric.update(labelled[outcome].count, 1), Metric.update(labelled[outcome].duration, seconds))
}

/** Whether a gateway is left in peace at the moment. */
export const reportCircuit = (gateway: string, isOpen: boolean): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(circuit, { gateway }), isOpen ? 1 : 0)

const words: Readonly<Record<Outcome, string>> = {
  Found: "found",
  NotFound: "not_found",
  Pending: "pending",
  Unavailable: "unavailable"
}

const answers = Metric.counter("sliptrail_gateway_answers_total", {
  description: "Questions to banks' gateways, by gateway and what came of them",
  incremental: true
})
const durations = Metric.histogram("sliptrail_gateway_seconds", {
  description: "Time from a question to a bank's gateway to its answer",
  boundaries: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8]
})
const circuit = Metric.gauge("sliptrail_gateway_circuit_open", {
  description: "1 while this process asks a gateway next to nothing, because it was in trouble"
})
