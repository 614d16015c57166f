import { Clock, Effect, RcMap, type Scope } from "effect"
import { makeFairPermits } from "../../../application/fairness/fair-permits.ts"
import { CappedMap } from "../../../domain/capped-map.ts"
import { waitLeft } from "../../../domain/waits.ts"
import { EgressError } from "../../../ports/egress.ts"
import type { Lookup, LookupFailed } from "./dns.ts"

/** The addresses of a name for a branch. Fails with `busy` when the branch has too many lookups in flight. */
export type BranchLookup = (
  name: string,
  branchId: string
) => Effect.Effect<ReadonlyArray<string>, LookupFailed | EgressError>

/** Lookups in flight, 128 in all. A lookup holds one UDP socket for each DNS server that it asks. */
const LOOKUPS = { size: 96, perKey: 16, spare: 32, maxWaiting: 2_000, maxWait: "3 seconds" } as const
/** Shorter than the first retry of a callback, so that each retry asks again. */
const FAILURE_MILLIS = 3_000
const MAX_FAILURES = 10_000

/**
 * Divides lookups between branches, so that names that never resolve delay only the branch that sent them.
 *
 * Concurrent lookups of a name by one branch share one query, so a single name occupies one permit. A name that failed
 * fails again at once for three seconds, for that branch alone. Addresses are not kept.
 */
export const makeBranchLookups = Effect.fnUntraced(
  function* (lookup: Lookup): Effect.fn.Return<BranchLookup, never, Scope.Scope> {
    const { withPermit } = makeFairPermits(LOOKUPS)
    const failures = new CappedMap<string, { readonly failure: LookupFailed; readonly until: number }>(MAX_FAILURES)

    const ask = Effect.fnUntraced(function* (key: string) {
      const failed = failures.get(key)
      if (failed !== undefined && waitLeft(failed.until, yield* Clock.currentTimeMillis, FAILURE_MILLIS) > 0) {
        return yield* failed.failure
      }
      const [branchId = "", name = ""] = key.split(" ")
      return yield* lookup(name).pipe(
        Effect.tapError(Effect.fnUntraced(function* (failure) {
          failures.set(key, { failure, until: (yield* Clock.currentTimeMillis) + FAILURE_MILLIS })
        })),
        withPermit(branchId),
        Effect.catchTag("NoPermit", () => Effect.fail(busy(name)))
      )
    })

    const shared = yield* RcMap.make({ lookup: ask })
    // Neither a branch id nor the host of a URL contains a space.
    return (name, branchId) => Effect.scoped(RcMap.get(shared, `${branchId} ${name}`))
  }
)

const busy = (name: string) =>
  new EgressError({
    reason: "busy",
    detail: `${name} was not resolved, because too many other names are waiting for answers`
  })
