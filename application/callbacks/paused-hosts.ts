import { Effect } from "effect"
import { parseLaneMember } from "../../projections/engine/lane-member.ts"
import { whenReady } from "../../projections/engine/readiness.ts"
import { callbackSets, callbacksModel, parseCallbackLane } from "../../projections/models/callbacks.ts"
import { laneHistory, MAX_FAILURES } from "./host-limiter.ts"

/** Waiting callbacks whose lanes are examined, those that are due first. */
const MOST_CALLBACKS = 1_000

/** Of a branch at a host. */
const MOST_LANES = 50

/**
 * Hosts to which the waiting callbacks of any branch are paused, with the most consecutive failures of one branch. At most
 * 50 lanes are examined.
 */
export const pausedHosts = Effect.gen(function* () {
  yield* whenReady(callbacksModel)
  const waiting = yield* callbackSets.due.names({ limit: MOST_CALLBACKS })
  const lanes = [...new Set(waiting.map((member) => parseLaneMember(member).lane))].slice(0, MOST_LANES)
  const failuresAt = new Map<string, number>()
  for (const lane of lanes) {
    const { failures = 0 } = (yield* laneHistory(lane)) ?? {}
    const { host } = parseCallbackLane(lane)
    if (failures >= MAX_FAILURES) failuresAt.set(host, Math.max(failures, failuresAt.get(host) ?? 0))
  }
  return Array.from(failuresAt, ([host, failures]) => ({ host, failures }))
})
