import { Effect, Layer } from "effect"
import { EventStore, type EventStoreError } from "../../../../../ports/event-store.ts"
import { Quota, QuotaError } from "../../../../../ports/quota.ts"
import type { ReadModelsError } from "../../../../../ports/read-models.ts"
import { EmbeddedReadModels } from "./engine.ts"
import type { Tables } from "./tables.ts"

/** The sets of the quota projection. */
export interface EmbeddedQuotaOptions {
  /** Model name of the quota projection, version included. */
  readonly model: string
  /** The set of a month; its members are the ids of the charged reservations. */
  readonly monthSet: (branchId: string, month: string) => string
  /** The set of a branch's months, each `yyyy-MM`. */
  readonly monthsSet: (branchId: string) => string
}

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
  options: EmbeddedQuotaOptions
): Layer.Layer<Quota, EventStoreError, EventStore | EmbeddedReadModels> =>
  Layer.effect(
    Quota,
    Effect.gen(function* () {
      const { model, monthSet, monthsSet } = options
      const engine = yield* EmbeddedReadModels
      yield* engine.require(model, yield* (yield* EventStore).head)
      const open = makeOpenReservations()

      const stopApplied = engine.onApplied(model, (writes) => {
        // Also a charge that the same batch takes back: it must not stay reserved in memory.
        for (const write of writes) if (write._tag === "AddMember") open.delete(write.set, write.member)
      })
      yield* Effect.addFinalizer(() => Effect.sync(stopApplied))
      const stopReplaced = engine.onReplaced((of, tables) => {
        // No notification came of the charges that the model has counted.
        if (of === model) open.deleteWhere((set, id) => tables.has(model, set, id))
      })
      yield* Effect.addFinalizer(() => Effect.sync(stopReplaced))

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

      /** Units of a month that are charged or reserved. */
      const taken = (tables: Tables, set: string): number =>
        tables.atOneMoment(() => tables.count(model, set) + open.countWhere(set, (id) => !tables.has(model, set, id)))
      const reserve = (tables: Tables, set: string, ids: ReadonlyArray<string>, limit: number) => {
        const added = ids.filter((id) => !open.has(set, id) && !tables.has(model, set, id))
        // Both counts may hold the same charge, so this sum is too high at most; the exact one takes longer.
        const atMost = tables.count(model, set) + open.count(set)
        if (added.length > 0 && atMost + added.length > limit && taken(tables, set) + added.length > limit) {
          return "exceeded"
        }
        for (const id of added) open.add(set, id)
        return "reserved"
      }

      return Quota.of({
        reserve: ({ branchId, month, reservationIds }, limit) =>
          whenComplete("reserve", (tables) => reserve(tables, monthSet(branchId, month), reservationIds, limit)),
        // Units are released by their holder only.
        confirm: () => Effect.void,
        release: ({ branchId, month, reservationIds }) =>
          Effect.sync(() => {
            for (const id of reservationIds) open.delete(monthSet(branchId, month), id)
          }),
        usage: (branchId, month) =>
          whenComplete("usage", (tables) => ({
            used: tables.count(model, monthSet(branchId, month)),
            totalUsed: tables.members(model, monthsSet(branchId))
              .reduce((total, { member }) => total + tables.count(model, monthSet(branchId, member)), 0)
          }))
      })
    })
  )

const patienceMillis = 2_000

const toQuotaError = (cause: ReadModelsError): QuotaError =>
  new QuotaError({ reason: cause.reason === "behind" ? "not-ready" : "unavailable", cause })

/** Reserved units that the read model does not count yet, by the set of their month. */
const makeOpenReservations = () => {
  const bySet = new Map<string, Set<string>>()
  const remove = (set: string, id: string) => {
    const open = bySet.get(set)
    // Empty sets are deleted: there would be one for every branch and month.
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
