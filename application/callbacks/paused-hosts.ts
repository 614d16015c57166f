import { Effect } from "effect"
import { parseLaneMember } from "../../projections/engine/lane-member.ts"
import { whenReady } from "../../projections/engine/readiness.ts"
import { callbackSets, callbacksModel } from "../../projections/models/callbacks.ts"
import { hostHistory, MAX_FAILURES } from "./host-limiter.ts"

/** Waiting callbacks whose hosts are examined, those that are due first. */
const MOST_CALLBACKS = 1_000

const MOST_HOSTS = 50

/** Hosts with waiting callbacks whose circuit is open, with their consecutive failures. At most 50 hosts are examined. */
export const pausedHosts = Effect.gen(function* () {
  yield* whenReady(callbacksModel)
  const waiting = yield* callbackSets.due.names({ limit: MOST_CALLBACKS })
  const hosts = [...new Set(waiting.map((member) => parseLaneMember(member).lane))].slice(0, MOST_HOSTS)
  const found = yield* Effect.forEach(
    hosts,
    (host) => Effect.map(hostHistory(host), (history) => ({ host, failures: history?.failures ?? 0 }))
  )
  return found.filter(({ failures }) => failures >= MAX_FAILURES)
})
