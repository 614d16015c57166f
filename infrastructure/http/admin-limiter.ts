import { CappedMap } from "../../domain/capped-map.ts"
import { networkOf } from "../ip-address.ts"

/** Wrong tokens within a minute after which an address waits. */
const MAX_FAILURES = 5
/** Wrong tokens of all addresses within a minute after which unknown addresses wait. */
const MAX_FAILURES_OVERALL = 100
const WINDOW_MILLIS = 60_000
const PAUSE_MILLIS = 60_000
/** Above this number the address with the oldest failure is removed. */
const MAX_ADDRESSES = 10_000

/** How long, and for how many addresses, a correct token exempts from the overall limit. */
const KNOWN_MILLIS = 24 * 3_600_000
const MAX_KNOWN_ADDRESSES = 1_000

interface Failures {
  readonly count: number
  readonly first: number
  readonly last: number
}

const withFailure = (before: Failures | undefined, now: number): Failures =>
  before === undefined || now - before.first >= WINDOW_MILLIS
    ? { count: 1, first: now, last: now }
    : { ...before, count: before.count + 1, last: now }

/** Milliseconds of the pause that are left; 0 when there is none. */
const pauseLeft = (failures: Failures | undefined, max: number, now: number): number =>
  failures === undefined || failures.count < max ? 0 : Math.max(0, failures.last + PAUSE_MILLIS - now)

/**
 * Counts wrong admin tokens, for each address and for all. The overall limit does not apply to an address that sent the
 * correct token in the last day: an attacker with many addresses cannot lock the operators out. IPv6 addresses of one
 * /64 network count as one. Times are in milliseconds since 1970.
 */
export const makeAdminLimiter = () => {
  const failures = new CappedMap<string, Failures>(MAX_ADDRESSES)
  const known = new CappedMap<string, number>(MAX_KNOWN_ADDRESSES)
  let overall: Failures | undefined

  const isKnown = (network: string, now: number): boolean => {
    const at = known.get(network)
    return at !== undefined && now - at < KNOWN_MILLIS
  }

  return {
    /** Whole seconds until the address may try again; 0 when it may. */
    secondsToWait: (address: string, now: number): number => {
      const network = networkOf(address)
      const left = Math.max(
        pauseLeft(failures.get(network), MAX_FAILURES, now),
        isKnown(network, now) ? 0 : pauseLeft(overall, MAX_FAILURES_OVERALL, now)
      )
      return Math.ceil(left / 1_000)
    },
    failed: (address: string, now: number): void => {
      const network = networkOf(address)
      failures.set(network, withFailure(failures.get(network), now))
      overall = withFailure(overall, now)
    },
    succeeded: (address: string, now: number): void => {
      const network = networkOf(address)
      failures.delete(network)
      known.set(network, now)
    }
  }
}
