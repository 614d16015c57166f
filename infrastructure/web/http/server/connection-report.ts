import { Effect, Metric, type Scope } from "effect"
import { countByLabel } from "../../../platform/telemetry/metrics.ts"
import { type CloseReason, closeReasons } from "./connection-limits.ts"

/** How often the log may have a line about closed connections: an attacker opens thousands a second. */
const LOG_INTERVAL = "1 minute"

const closed = Metric.counter("sliptrail_http_connections_closed_total", {
  description: "Connections closed by the limits, by reason: address (too many of one), full, evicted (idle)",
  incremental: true
})

/**
 * Counts the connections that the limits close. A line of the log has the counts since the last line, and the address
 * of the last connection.
 */
export const reportClosedConnections: Effect.Effect<
  (reason: CloseReason, address: string) => void,
  never,
  Scope.Scope
> = Effect.gen(function* () {
  const count = yield* countByLabel(closed, "reason", closeReasons)
  const unreported = new Map<CloseReason, number>()
  let lastAddress = ""

  yield* Effect.suspend(() => {
    if (unreported.size === 0) return Effect.void
    const counts = Object.fromEntries(unreported)
    unreported.clear()
    return Effect.logWarning("Closed connections above the limits").pipe(
      Effect.annotateLogs({ ...counts, lastAddress })
    )
  }).pipe(Effect.delay(LOG_INTERVAL), Effect.forever, Effect.forkScoped)

  return (reason, address) => {
    count(reason)
    unreported.set(reason, (unreported.get(reason) ?? 0) + 1)
    lastAddress = address
  }
})
