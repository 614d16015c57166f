import { Effect, Layer } from "effect"
import { isBefore } from "../../../../domain/events/recorded-event.ts"
import { EventStore, type EventStoreError } from "../../../../ports/event-store.ts"
import { Quota, QuotaError, type Reservation } from "../../../../ports/quota.ts"
import type { ReadModelsError } from "../../../../ports/read-models.ts"
import { EmbeddedReadModels } from "./engine.ts"
import type { Tables } from "./tables.ts"

/** Where the projection of the charges keeps them. */
export interface EmbeddedQuotaOptions {
  /** Model name of the quota projection, version included. */
  readonly model: string
  /** The set of a month, whose members are the ids of the reservations charged in it. */
  readonly monthSet: (branchId: string, month: string) => string
  /** The set of a branch's months, each `yyyy-MM`. */
  readonly monthsSet: (branchId: string) => string
}

/**
 * Quota for one process that serves requests and runs the projector, over the embedded read models.
 *
 * A decision is a look at the read model and at the reservations under way, in one turn of the event loop. A charge
 * may be in both for a moment, as the word on a batch comes after its commit; it is never in neither. Reservations under
 * way are in memory only. A crash forgets them, and is right to: their holders died with the process, and what they had
 * appended is in the log.
 *
 * Nothing is decided before the read model has everything that was in the log when this layer was made, nor while it
 * is being rebuilt.
 */
export const layerQuotaEmbedded = (
  options: EmbeddedQuotaOptions
): Layer.Layer<Quota, EventStoreError, EventStore | EmbeddedReadModels> =>
  Layer.effect(
    Quota,
    Effect.gen(function* () {
      const { model, monthSet, monthsSet } = options
      const engine = yield* EmbeddedReadModels
      let required = yield* (yield* EventStore).head
      const open = makeOpenReservations()

      const stopListening = engine.onApplied((of, writes, upTo) => {
        if (of !== model) return
        // A charge that is taken back in the same batch was counted as well: it must not stay taken in memory.
        for (const write of writes) if (write._tag === "AddMember") open.drop(write.set, write.member)
        // Once the model has been this far, it is complete again only when it is back there after a rebuild.
        if (isBefore(required, upTo)) required = upTo
      })
      yield* Effect.addFinalizer(() => Effect.sync(stopListening))
      const stopListeningToo = engine.onPromoted((of, upTo, tables) => {
        if (of !== model) return
        // What was built beside may be ahead, and will not be told again of a charge that it has counted.
        open.dropWhere((set, id) => tables.has(model, set, id))
        if (isBefore(required, upTo)) required = upTo
      })
      yield* Effect.addFinalizer(() => Effect.sync(stopListeningToo))

      /** Runs when the model is complete, waiting for that briefly; the check and the run are one step. */
      const whenReady = <A>(operation: string, run: (tables: Tables) => A): Effect.Effect<A, QuotaError> => {
        const tryNow = engine.attempt(
          operation,
          (tables) => isBefore(tables.checkpoint(model), required) ? undefined : { value: run(tables) }
        )
        return Effect.mapError(
          Effect.gen(function* () {
            const now = yield* tryNow
            if (now !== undefined) return now.value
            yield* engine.awaitPosition(model, required, patienceMillis)
            const later = yield* tryNow
            return later === undefined ? yield* new QuotaError({ reason: "not-ready" }) : later.value
          }),
          toQuotaError
        )
      }

      /** Units that are taken of a month; no fewer than that, and exact where that matters. */
      const taken = (tables: Tables, set: string, limit: number): number => {
        const atMost = tables.count(model, set) + open.count(set)
        if (atMost < limit) return atMost
        return tables.atOneMoment(() =>
          tables.count(model, set) + open.countWhere(set, (id) => !tables.has(model, set, id))
        )
      }
      const admit = (tables: Tables, set: string, id: string, limit: number | null): "reserved" | "exceeded" => {
        if (open.has(set, id) || tables.has(model, set, id)) return "reserved"
        if (limit !== null && taken(tables, set, limit) >= limit) return "exceeded"
        open.add(set, id)
        return "reserved"
      }
      const setOf = ({ branchId, month }: Reservation) => monthSet(branchId, month)

      return Quota.of({
        reserve: (reservation, limit) =>
          whenReady("reserve", (tables) => admit(tables, setOf(reservation), reservation.reservationId, limit)),
        confirm: (reservation) => Effect.sync(() => open.confirm(setOf(reservation), reservation.reservationId)),
        release: (reservation) => Effect.sync(() => open.release(setOf(reservation), reservation.reservationId)),
        usage: (branchId, month) =>
          whenReady("usage", (tables) => ({
            used: tables.count(model, monthSet(branchId, month)),
            totalUsed: tables.members(model, monthsSet(branchId))
              .reduce((total, { member }) => total + tables.count(model, monthSet(branchId, member)), 0)
          }))
      })
    })
  )

const patienceMillis = 2_000

const toQuotaError = (cause: ReadModelsError | QuotaError): QuotaError =>
  cause._tag === "QuotaError"
    ? cause
    : new QuotaError({ reason: cause.reason === "behind" ? "not-ready" : "unavailable", cause })

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
