import { Clock, Effect, RcMap, type Scope } from "effect"
import { CappedMap } from "../../domain/capped-map.ts"
import { EgressError } from "../../ports/egress.ts"
import { makeFairSlots } from "../fair-slots.ts"
import type { Lookup, LookupFailed } from "./dns.ts"

/** The addresses of a name for a branch. Fails with `busy` when the branch has too many lookups in flight. */
export type BranchLookup = (
  name: string,
  branchId: string
) => Effect.Effect<ReadonlyArray<string>, LookupFailed | EgressError>

/** Lookups in flight. A lookup holds one UDP socket for each DNS server that it asks. */
const MAX_LOOKUPS = { total: 128, perLane: 16 }
/** How long a lookup waits for one of these slots. */
const WAIT_MILLIS = 3_000
/** Shorter than the first retry of a callback, so that each retry asks again. */
const FAILURE_MILLIS = 3_000
const MAX_FAILURES = 10_000

/**
 * Divides lookups between branches, so that names that never resolve delay only the branch that sent them.
 *
 * Concurrent lookups of a name by one branch share one query, so a single name occupies one slot. A name that failed
 * fails again at once for three seconds, for that branch alone. Addresses are not kept.
 */
export const makeBranchLookups = Effect.fnUntraced(
  function* (lookup: Lookup): Effect.fn.Return<BranchLookup, never, Scope.Scope> {
    const slots = makeFairSlots(MAX_LOOKUPS)
    const failures = new CappedMap<string, { readonly failure: LookupFailed; readonly until: number }>(MAX_FAILURES)

    const ask = Effect.fnUntraced(function* (key: string) {
      const failed = failures.get(key)
      if (failed !== undefined && (yield* Clock.currentTimeMillis) < failed.until) return yield* failed.failure
      const [branchId = "", name = ""] = key.split(" ")
      yield* Effect.timeoutOrElse(slots.acquire(branchId), { duration: WAIT_MILLIS, orElse: () => busy(name) })
      return yield* Effect.tapError(
        lookup(name),
        Effect.fnUntraced(function* (failure) {
          failures.set(key, { failure, until: (yield* Clock.currentTimeMillis) + FAILURE_MILLIS })
        })
      )
    }, Effect.scoped)

    const shared = yield* RcMap.make({ lookup: ask })
    // Neither a branch id nor the host of a URL contains a space.
    return (name, branchId) => Effect.scoped(RcMap.get(shared, `${branchId} ${name}`))
  }
)

const busy = (name: string) =>
  new EgressError({
    reason: "busy",
    detail: `${name} was not resolved, because ${MAX_LOOKUPS.perLane} lookups of this branch are waiting for answers`
  })
