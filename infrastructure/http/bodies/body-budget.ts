/** How many bytes of bodies may be in memory at a time. */
export interface BodyBudgetLimits {
  readonly total: number
  readonly perOwner: number
}

/** Why bytes were refused: the owner has used its share, or all owners together have too little left. */
export type BudgetRefusal = "owner" | "total"

/** The bytes of one request. */
export interface Reservation {
  /** Reserves more bytes; returns why they were refused, or undefined. */
  readonly add: (bytes: number) => BudgetRefusal | undefined
  /** Gives all bytes back. Further calls have no effect. */
  readonly release: () => void
}

export interface BodyBudget {
  /** Begins a request of an owner: a branch, or the operators together. */
  readonly reserve: (owner: string) => Reservation
}

/**
 * Budgets of bytes. An owner may use its own limit, but never more than what is free at that moment. So an owner with few
 * bytes is admitted even while several others send as much as they can.
 */
export const makeBodyBudget = ({ perOwner, total }: BodyBudgetLimits): BodyBudget => {
  const usedBy = new Map<string, number>()
  let used = 0

  const change = (owner: string, bytes: number): void => {
    const own = (usedBy.get(owner) ?? 0) + bytes
    used += bytes
    if (own === 0) usedBy.delete(owner)
    else usedBy.set(owner, own)
  }

  return {
    reserve: (owner) => {
      let held = 0
      return {
        add: (bytes) => {
          const own = (usedBy.get(owner) ?? 0) + bytes
          if (own > perOwner) return "owner"
          if (own > total - used) return "total"
          held += bytes
          change(owner, bytes)
          return undefined
        },
        release: () => {
          change(owner, -held)
          held = 0
        }
      }
    }
  }
}
