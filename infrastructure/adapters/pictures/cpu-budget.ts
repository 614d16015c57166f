/** The CPU time that each branch may use for its pictures. Times are in milliseconds. */
export interface CpuBudget {
  /** Whole seconds until the branch may read a picture; 0 when it may now. */
  readonly retryAfterSeconds: (branchId: string, now: number) => number
  /** Subtracts CPU time that was used. The branch may go into debt, because the time is known only afterwards. */
  readonly charge: (branchId: string, cpuMillis: number, now: number) => void
}

interface Account {
  /** CPU time that is left; negative is a debt. */
  readonly left: number
  readonly at: number
}

/**
 * A token bucket for each branch. It is full at first, holds one minute's worth and is refilled steadily. `perMinute` is
 * CPU time in milliseconds; 0 is no limit. Each process counts for itself.
 */
export const makeCpuBudget = (perMinute: number): CpuBudget => {
  const accounts = new Map<string, Account>()
  const perMilli = perMinute / 60_000

  const leftOf = (branchId: string, now: number): number => {
    const account = accounts.get(branchId)
    if (account === undefined) return perMinute
    // A clock that was set back adds nothing: the refill begins anew.
    if (now < account.at) accounts.set(branchId, { ...account, at: now })
    return Math.min(perMinute, account.left + Math.max(0, now - account.at) * perMilli)
  }

  const removeFull = (now: number): void => {
    for (const branchId of accounts.keys()) if (leftOf(branchId, now) >= perMinute) accounts.delete(branchId)
  }

  return {
    retryAfterSeconds: (branchId, now) => {
      if (perMinute === 0) return 0
      const left = leftOf(branchId, now)
      return left > 0 ? 0 : Math.floor(-left / perMilli / 1_000) + 1
    },
    charge: (branchId, cpuMillis, now) => {
      if (perMinute === 0) return
      if (accounts.size >= MAX_ACCOUNTS) removeFull(now)
      accounts.set(branchId, { left: leftOf(branchId, now) - cpuMillis, at: now })
    }
  }
}

/** Above this, accounts that are full again are removed. */
const MAX_ACCOUNTS = 10_000
