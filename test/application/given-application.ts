import { Context, Effect, Layer, Redacted } from "effect"
import { createService } from "../../application/provisioning/services.ts"
import { quotaNaming } from "../../projections/models/quota.ts"
import { beginning } from "../../domain/events/recorded-event.ts"
import { EventStore, EventStoreError } from "../../ports/event-store.ts"
import { BankAccounts } from "../../application/bank-accounts/list-bank-accounts.ts"
import { Callers } from "../../application/provisioning/callers.ts"
import { Directory } from "../../application/provisioning/directory.ts"
import { layerLeasesMemory } from "../../infrastructure/stores/memory/coordination.ts"
import { layerQuotaEmbedded } from "../../infrastructure/stores/sqlite/read-models/quota.ts"
import { layerIdentifiers } from "../../infrastructure/keys/identifiers.ts"
import { layerVault } from "../../infrastructure/keys/vault.ts"
import { projections } from "../../projections/models/all.ts"
import { layerProjector } from "../../projections/engine/projector.ts"
import { layerEventStoreMemory } from "../support/memory-event-store.ts"
import { layerTemporaryReadModels } from "../support/temporary-read-models.ts"

/** The number of appends until the log becomes unavailable. */
class AppendsLeft extends Context.Service<AppendsLeft, { count: number }>()("test/AppendsLeft") {}

const layerFailing = Layer.effect(
  EventStore,
  Effect.gen(function* () {
    const store = yield* EventStore
    const left = yield* AppendsLeft
    return EventStore.of({
      ...store,
      append: (...args) =>
        Effect.suspend(() =>
          left.count-- > 0
            ? store.append(...args)
            : Effect.fail(new EventStoreError({ operation: "append", reason: "unavailable" }))
        )
    })
  })
).pipe(Layer.provide(layerEventStoreMemory))

const layerStores = Layer.mergeAll(
  layerFailing,
  layerLeasesMemory,
  layerIdentifiers,
  layerVault(Redacted.make(new Uint8Array(32).fill(7))),
  layerTemporaryReadModels
).pipe(Layer.provideMerge(Layer.sync(AppendsLeft, () => ({ count: Infinity }))))

const layerQueries = Layer.mergeAll(
  layerQuotaEmbedded(quotaNaming),
  Callers.layer,
  Directory.layer,
  BankAccounts.layer
)

/** All services that commands and queries need, over a log in memory, with a running projector. */
export const layerApplication = Layer.merge(layerQueries, layerProjector(projections)).pipe(
  Layer.provideMerge(layerStores),
  Layer.fresh
)

/** The same, and no process projects the log. */
export const layerWithoutProjector = layerQueries.pipe(Layer.provideMerge(layerStores), Layer.fresh)

/** Makes the log unavailable after that many more appends. */
export const logEndsAfter = (appends: number) =>
  AppendsLeft.use((left) =>
    Effect.sync(() => {
      left.count = appends
    })
  )

/** All events of the log, oldest first. */
export const events = EventStore.use((store) => store.readAll({ after: beginning, limit: 1_000_000 }))

export const operation = { actor: { kind: "admin", id: "api" }, correlationId: "operation-1" } as const

/** A new service, by default with a new account. */
export const newService = (fields: Partial<Parameters<typeof createService>[0]> = {}) =>
  createService(
    { name: "Shop", plan: "standard", quota: null, accountId: undefined, expiresAt: null, ...fields },
    operation
  )
