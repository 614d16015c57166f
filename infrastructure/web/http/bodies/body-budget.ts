import { Effect } from "effect"

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
  /** The same, after the owner's other requests have made room. Requests of an owner wait in order. */
  readonly addInTurn: (bytes: number) => Effect.Effect<BudgetRefusal | undefined>
  /** Gives all bytes back. Further calls have no effect. */
  readonly release: () => void
}

export interface BodyBudget {
  /** Begins a request of an owner: a branch, or the operators together. */
  readonly reserve: (owner: string) => Reservation
}

interface Waiter {
  /** Reserves the bytes of the waiter, or returns why they were refused. */
  readonly add: () => BudgetRefusal | undefined
  readonly resume: (refusal: BudgetRefusal | undefined) => void
}

/**
 * Budgets of bytes. An owner may use its own limit, but never more than what is free at that moment. So an owner with few
 * bytes is admitted even while several others send as much as they can. An owner that holds nothing may exceed its own
 * limit with one request.
 */
export const makeBodyBudget = ({ perOwner, total }: BodyBudgetLimits): BodyBudget => {
  const usedBy = new Map<string, number>()
  const waitersOf = new Map<string, Array<Waiter>>()
  let used = 0

  const usedByOwner = (owner: string): number => usedBy.get(owner) ?? 0

  const change = (owner: string, bytes: number): void => {
    const own = usedByOwner(owner) + bytes
    used += bytes
    if (own === 0) usedBy.delete(owner)
    else usedBy.set(owner, own)
  }

  const wait = (owner: string, waiter: Waiter): void => {
    const waiters = waitersOf.get(owner)
    if (waiters === undefined) waitersOf.set(owner, [waiter])
    else waiters.push(waiter)
  }

  const remove = (owner: string, waiter: Waiter): void => {
    const waiters = (waitersOf.get(owner) ?? []).filter((other) => other !== waiter)
    if (waiters.length === 0) waitersOf.delete(owner)
    else waitersOf.set(owner, waiters)
  }

  /** Admits waiting requests in their order, until one finds no room. A resumed request may change the list. */
  const admitWaiting = (owner: string): void => {
    for (;;) {
      const waiter = waitersOf.get(owner)?.[0]
      const refusal = waiter?.add()
      if (waiter === undefined || refusal === "owner") return
      remove(owner, waiter)
      waiter.resume(refusal)
    }
  }

  return {
    reserve: (owner) => {
      let held = 0

      const add = (bytes: number): BudgetRefusal | undefined => {
        const others = usedByOwner(owner) - held
        if (others > 0 && others + held + bytes > perOwner) return "owner"
        if (others + held + bytes > total - used) return "total"
        held += bytes
        change(owner, bytes)
        return undefined
      }

      return {
        add,
        addInTurn: (bytes) =>
          Effect.callback((resume) => {
            const waiter: Waiter = { add: () => add(bytes), resume: (refusal) => resume(Effect.succeed(refusal)) }
            const refusal = waitersOf.has(owner) ? "owner" : waiter.add()
            if (refusal !== "owner") return waiter.resume(refusal)
            wait(owner, waiter)
            return Effect.sync(() => {
              remove(owner, waiter)
              admitWaiting(owner)
            })
          }),
        release: () => {
          change(owner, -held)
          held = 0
          admitWaiting(owner)
        }
      }
    }
  }
}
