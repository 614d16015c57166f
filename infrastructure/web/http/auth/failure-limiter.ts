import { CappedMap } from "../../../../domain/capped-map.ts"
import { waitLeft } from "../../../../domain/waits.ts"
import { networkOf } from "../../../platform/ip-address.ts"

const WINDOW_MILLIS = 60_000
const PAUSE_MILLIS = 60_000
/** Above this number the address with the oldest failure is removed. */
const MAX_ADDRESSES = 10_000

interface Failures {
  readonly count: number
  readonly first: number
  readonly last: number
}

/** Counts the wrong credentials of each address. Times are in milliseconds since 1970. */
export interface FailureLimiter {
  /** Whole seconds until the address may try again; 0 when it may. */
  readonly secondsToWait: (address: string, now: number) => number
  /** Counts a failure. Returns whether a pause of the address begins with it. */
  readonly failed: (address: string, now: number) => boolean
  readonly forgive: (address: string) => void
}

/**
 * Pauses an address for a minute after `maxFailures` wrong credentials within a minute. IPv6 addresses of one /64 network
 * count as one.
 */
export const makeFailureLimiter = (maxFailures: number): FailureLimiter => {
  const failures = new CappedMap<string, Failures>(MAX_ADDRESSES)

  return {
    secondsToWait: (address, now) => {
      const before = failures.get(networkOf(address))
      if (before === undefined || before.count < maxFailures) return 0
      return Math.ceil(waitLeft(before.last + PAUSE_MILLIS, now, PAUSE_MILLIS) / 1_000)
    },
    failed: (address, now) => {
      const network = networkOf(address)
      const before = failures.get(network)
      const isNew = before === undefined || waitLeft(before.first + WINDOW_MILLIS, now, WINDOW_MILLIS) === 0
      const after = isNew ? { count: 1, first: now, last: now } : { ...before, count: before.count + 1, last: now }
      failures.set(network, after)
      return after.count === maxFailures
    },
    forgive: (address) => {
      failures.delete(networkOf(address))
    }
  }
}
