/** Says of a key that it fails, a fixed number of times, and never again. */
export interface FailureCount {
  readonly fails: (key: string) => boolean
}

/**
 * Counts in memory, for this process. At most `capacity` keys are remembered; beyond that the one that came first is
 * forgotten and, if it is ever asked for again, fails anew.
 */
export const makeFailureCount = (times: number, capacity = 10_000): FailureCount => {
  const counts = new Map<string, number>()
  return {
    fails: (key) => {
      const before = counts.get(key) ?? 0
      if (before >= times) return false
      if (!counts.has(key) && counts.size >= capacity) forgetFirst(counts)
      counts.set(key, before + 1)
      return true
    }
  }
}

const forgetFirst = (counts: Map<string, number>): void => {
  const [first] = counts.keys()
  if (first !== undefined) counts.delete(first)
}
