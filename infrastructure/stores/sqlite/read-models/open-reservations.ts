/** Units of quota that are taken and not counted by the read model yet, by the month's set they will be counted in. */
export interface OpenReservations {
  readonly has: (set: string, id: string) => boolean
  readonly count: (set: string) => number
  /** Of those with an id for which it is so. */
  readonly countWhere: (set: string, isSo: (id: string) => boolean) => number
  readonly add: (set: string, id: string) => void
  /** From here on only `drop` takes it out: the charge is in the log and can't be given back by its holder. */
  readonly confirm: (set: string, id: string) => void
  /** Gives back what is not confirmed. */
  readonly release: (set: string, id: string) => void
  /** The read model counts it now. */
  readonly drop: (set: string, id: string) => void
  /** The same for all that the read model is found to count. */
  readonly dropWhere: (isCounted: (set: string, id: string) => boolean) => void
}

/** Every operation takes constant time but those that ask for each reservation. */
export const makeOpenReservations = (): OpenReservations => {
  const bySet = new Map<string, Map<string, { readonly confirmed: boolean }>>()

  const drop = (set: string, id: string) => {
    const open = bySet.get(set)
    // Empty ones are let go, or there would be one for every branch and month that ever was.
    if (open?.delete(id) === true && open.size === 0) bySet.delete(set)
  }

  return {
    has: (set, id) => bySet.get(set)?.has(id) ?? false,
    count: (set) => bySet.get(set)?.size ?? 0,
    countWhere: (set, isSo) => Array.from(bySet.get(set)?.keys() ?? []).filter(isSo).length,
    add: (set, id) => {
      const open = bySet.get(set)
      if (open === undefined) bySet.set(set, new Map([[id, { confirmed: false }]]))
      else open.set(id, { confirmed: false })
    },
    confirm: (set, id) => {
      const open = bySet.get(set)
      if (open?.has(id) === true) open.set(id, { confirmed: true })
    },
    release: (set, id) => {
      if (bySet.get(set)?.get(id)?.confirmed === false) drop(set, id)
    },
    drop,
    dropWhere: (isCounted) => {
      for (const [set, open] of bySet) for (const id of open.keys()) if (isCounted(set, id)) drop(set, id)
    }
  }
}
