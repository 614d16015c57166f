import { Context, Effect, Layer } from "effect"
import { createService } from "../../application/provisioning/services.ts"
import { quotaNaming } from "../../projections/models/quota.ts"
import { beginning } from "../../domain/events/recorded-event.ts"
import { EventStore, EventStoreError } from "../../ports/event-store.ts"
import { BankAccounts } from "../../application/bank-accounts/list-bank-accounts.ts"
import { Callers } from "../../application/provisioning/callers.ts"
import { Directory } from "../../application/provisioning/directory.ts"
import { layerQuotaEmbedded } from "../../infrastructure/adapters/stores/sqlite/read-models/quota.ts"
import { projections } from "../../projections/models/all.ts"
import { layerProjector } from "../../projections/engine/projector.ts"
import { type LogFaults, noFaults } from "../support/faulty-event-store.ts"
import { layerPorts } from "../support/ports.ts"
import { it } from "../support/it.ts"

/** The faults of the application's log. */
class Faults extends Context.Service<Faults, LogFaults>()("test/Faults") {}

const layerStores = Layer.unwrap(Effect.sync(() => {
  const faults = noFaults()
  return Layer.merge(layerPorts(faults), Layer.succeed(Faults, faults))
}))

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

/** A test on the application, in the time of the machine. */
export const live = it.live.with(() => layerApplication)

/** The same, and no process projects the log. */
export const layerWithoutProjector = layerQueries.pipe(Layer.provideMerge(layerStores), Layer.fresh)

/** Makes the log unavailable after that many more appends. */
export const logEndsAfter = (appends: number) =>
  Faults.use((faults) =>
    Effect.sync(() => {
      let left = appends
      faults.before = () =>
        left-- > 0 ? Effect.void : Effect.fail(new EventStoreError({ operation: "append", reason: "unavailable" }))
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
