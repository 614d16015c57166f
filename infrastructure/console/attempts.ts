/** How often a wrong token may be given from one address before a pause, and how long that is. */
const MOST_FAILURES = 5
const PAUSE_MILLIS = 60_000
/** Addresses that are remembered; beyond that the one that failed longest ago is forgotten. */
const MOST_ADDRESSES = 10_000

/** Slows down whoever tries tokens. Times in milliseconds since 1970. */
export const makeAttempts = () => {
  const failures = new Map<string, { readonly count: number; readonly at: number }>()

  return {
    /** Whole seconds until the address may try again; 0 when it may. */
    pauseOf: (address: string, now: number): number => {
      const failed = failures.get(address)
      if (failed === undefined || failed.count < MOST_FAILURES) return 0
      return Math.max(0, Math.ceil((failed.at + PAUSE_MILLIS - now) / 1_000))
    },
    failed: (address: string, now: number): void => {
      const before = failures.get(address)
      const isOver = before !== undefined && now - before.at >= PAUSE_MILLIS
      failures.delete(address)
      failures.set(address, { count: before === undefined || isOver ? 1 : before.count + 1, at: now })
      const [oldest] = failures.keys()
      if (failures.size > MOST_ADDRESSES && oldest !== undefined) failures.delete(oldest)
    },
    succeeded: (address: string): void => {
      failures.delete(address)
    }
  }
}
