import { Clock, Effect } from "effect"
import { callbackSets, hostRows } from "../../projections/models/callbacks.ts"
import type { HostHistory } from "./host-limiter.ts"

/**
 * How a host did lately, as far as the read model knows: callbacks that failed there since it last answered and have
 * not ended. Undefined while the read model is away.
 */
export const hostHistory = Effect.fnUntraced(function* (host: string) {
  const row = yield* hostRows.get(host)
  const since = row === undefined ? -Infinity : Date.parse(row.lastOkAt)
  const failed = (from: number, limit: number) =>
    callbackSets.failing(host).members(Number.isFinite(from) ? { from, limit } : { limit })
      .pipe(Effect.map((found) => found.filter(({ score }) => score > since)))
  const first = yield* failed(since, enough)
  const recent = yield* failed(Math.max(since, (yield* Clock.currentTimeMillis) - recentMillis), many)
  const last = recent.at(-1) ?? first.at(-1)
  const history: HostHistory = { failures: first.length, lastFailureAt: last?.score ?? 0 }
  return history
}, Effect.catchTag("ReadModelsError", () => Effect.undefined))

/** As many as open a circuit, and one whose failure is as old as the last good answer and so does not count. */
const enough = 20
/** The last failure is among so many of so late, or there are so many that it hardly matters which was the last. */
const recentMillis = 60_000
const many = 256
