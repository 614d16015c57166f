import { CappedMap } from "../../../../domain/capped-map.ts"
import { networkOf } from "../../../platform/ip-address.ts"
import { makeFailureLimiter } from "./failure-limiter.ts"

/** Wrong tokens within a minute after which an address waits. */
const MAX_FAILURES = 5
/** Wrong tokens of all addresses within a minute after which unknown addresses wait. */
const MAX_FAILURES_OVERALL = 100
/** Stands for all addresses. */
const ALL = "all"

/** How long, and for how many addresses, a correct token exempts from the overall limit. */
const KNOWN_MILLIS = 24 * 3_600_000
const MAX_KNOWN_ADDRESSES = 1_000

/**
 * Counts wrong admin tokens, for each address and for all. The overall limit does not apply to an address that sent the
 * correct token in the last day: an attacker with many addresses cannot lock the operators out. Times are in
 * milliseconds since 1970.
 */
export const makeAdminLimiter = () => {
  const each = makeFailureLimiter(MAX_FAILURES)
  const overall = makeFailureLimiter(MAX_FAILURES_OVERALL)
  const known = new CappedMap<string, number>(MAX_KNOWN_ADDRESSES)

  const isKnown = (address: string, now: number): boolean => {
    const at = known.get(networkOf(address))
    return at !== undefined && now - at < KNOWN_MILLIS
  }

  return {
    /** Whole seconds until the address may try again; 0 when it may. */
    secondsToWait: (address: string, now: number): number =>
      Math.max(each.secondsToWait(address, now), isKnown(address, now) ? 0 : overall.secondsToWait(ALL, now)),
    failed: (address: string, now: number): void => {
      each.failed(address, now)
      overall.failed(ALL, now)
    },
    succeeded: (address: string, now: number): void => {
      each.forgive(address)
      known.set(networkOf(address), now)
    }
  }
}
