import { Effect, Layer, Semaphore } from "effect"
import { Leases } from "../../../../ports/leases.ts"

/** Leases among the fibers of one process, which is all there is where the engines are embedded. */
export const layerLeasesEmbedded: Layer.Layer<Leases> = Layer.sync(Leases, () => {
  const byName = new Map<string, Semaphore.Semaphore>()

  const leaseOf = (name: string): Semaphore.Semaphore => {
    const lease = byName.get(name) ?? Semaphore.makeUnsafe(1)
    byName.set(name, lease)
    return lease
  }

  return Leases.of({
    whileHolding: (name, run) => Effect.suspend(() => leaseOf(name).withPermits(1)(run))
  })
})
