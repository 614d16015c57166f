import { Effect, Layer } from "effect"
import { EventStore, type EventStoreError } from "../../../../../ports/event-store.ts"
import { Quota, QuotaError, type QuotaLimit, type Reservation } from "../../../../../ports/quota.ts"
import type { ReadModelsError } from "../../../../../ports/read-models.ts"
import { EmbeddedReadModels } from "./engine.ts"
import type { Tables } from "./tables.ts"

/**
 * Quota for one process that serves requests and runs the projector, over the embedded read models.
 *
 * A decision reads the read model and the open reservations in one turn of the event loop. A charge may be in both for
 * a moment, because the notification of a batch comes after its commit; it is never in neither. Open reservations are
 * in memory only: after a crash no holder is alive, and the log has every charge that was appended.
 *
 * Nothing is decided while the read model is below its high-water mark: before it has every event that was in the log
 * when this layer was built, and while it is rebuilt after a loss.
 */
export const layerQuotaEmbedded = (
  { model }: { readonly model: string }
): Layer.Layer<Quota, EventStoreError, EventStore | EmbeddedReadModels> =>
  Layer.effect(
    Quota,
    Effect.gen(function* () {
      const engine = yield* EmbeddedReadModels
      yield* engine.require(model, yield* (yield* EventStore).head)
      const open = makeOpenReservations()

      yield* engine.listen(model, {
        applied: (writes) => {
          // Also a charge that the same batch takes back: it must not stay reserved in memory.
          for (const write of writes) if (write._tag === "AddMember") open.delete(write.set, write.member)
        },
        // No notification came of the charges that the model has counted.
        replaced: (tables) => open.deleteWhere((set, id) => tables.has(model, set, id))
      })

      /** Runs when the model is complete, and waits briefly for that. The check and the run are one step. */
      const whenComplete = <A>(operation: string, run: (tables: Tables) => A): Effect.Effect<A, QuotaError> => {
        const read = engine.read(operation, model, run)
        return read.pipe(
          Effect.catchIf(
            ({ reason }) => reason === "behind",
            () => Effect.andThen(engine.awaitComplete(model, patienceMillis), read)
          ),
          Effect.mapError(toQuotaError)
        )
      }

      /** Units of a set that are charged or reserved. */
      const taken = (tables: Tables, set: string): number =>
        tables.atOneMoment(() => tables.count(model, set) + open.countWhere(set, (id) => !tables.has(model, set, id)))
      /** The units to reserve in a set; undefined when its limit does not allow them. */
      const added = (tables: Tables, { limit, set }: QuotaLimit, ids: ReadonlyArray<string>) => {
        const units = ids.filter((id) => !open.has(set, id) && !tables.has(model, set, id))
        const most = limit - units.length
        // Hot path: this sum counts a charge twice at most; the exact one reads each unit. Guarded by `npm run bench -- store`.
        const isFree = units.length === 0 || tables.count(model, set) + open.count(set) <= most
        return isFree || taken(tables, set) <= most ? { set, units } : undefined
      }
      const reserve = (tables: Tables, { limits, reservationIds }: Reservation) => {
        const all = limits.map((limit) => added(tables, limit, reservationIds)).filter((each) => each !== undefined)
        if (all.length < limits.length) return "exceeded"
        for (const { set, units } of all) for (const id of units) open.add(set, id)
        return "reserved"
      }

      return Quota.of({
        reserve: (reservation) => whenComplete("reserve", (tables) => reserve(tables, reservation)),
        // Units are released by their holder only.
        confirm: () => Effect.void,
        release: ({ limits, reservationIds }) =>
          Effect.sync(() => {
            for (const { set } of limits) for (const id of reservationIds) open.delete(set, id)
          }),
        usage: (sets) => whenComplete("usage", (tables) => sets.map((set) => tables.count(model, set)))
      })
    })
  )

const patienceMillis = 2_000

const toQuotaError = (cause: ReadModelsError): QuotaError =>
  new QuotaError({ reason: cause.reason === "behind" ? "not-ready" : "unavailable", cause })

/** Reserved units that the read model does not count yet, by their set. */
const makeOpenReservations = () => {
  const bySet = new Map<string, Set<string>>()
  const remove = (set: string, id: string) => {
    const open = bySet.get(set)
    // Empty sets are deleted: there would be one for every period of every branch.
    if (open?.delete(id) === true && open.size === 0) bySet.delete(set)
  }
  return {
    has: (set: string, id: string): boolean => bySet.get(set)?.has(id) ?? false,
    count: (set: string): number => bySet.get(set)?.size ?? 0,
    /** Takes time for each reservation of the set. */
    countWhere: (set: string, isSo: (id: string) => boolean): number =>
      Array.from(bySet.get(set) ?? []).filter(isSo).length,
    add: (set: string, id: string): void => {
      const open = bySet.get(set)
      if (open === undefined) bySet.set(set, new Set([id]))
      else open.add(id)
    },
    delete: remove,
    deleteWhere: (isCounted: (set: string, id: string) => boolean): void => {
      for (const [set, open] of bySet) for (const id of open) if (isCounted(set, id)) remove(set, id)
    }
  }
}
