import { Layer, Redacted } from "effect"
import { layerIdentifiers } from "../../infrastructure/adapters/keys/identifiers.ts"
import { layerVault } from "../../infrastructure/adapters/keys/vault.ts"
import { layerClaimsMemory, layerLeasesMemory } from "../../infrastructure/adapters/stores/memory/coordination.ts"
import { layerFaultyEventStore, noFaults } from "./faulty-event-store.ts"
import { layerTemporaryReadModels } from "./temporary-read-models.ts"

/** Identifiers, and a vault with the same master key in every test. */
export const layerKeys = Layer.merge(layerIdentifiers, layerVault(Redacted.make(new Uint8Array(32).fill(7))))

/**
 * What the application needs from outside: an empty log in memory with these faults, empty read models, leases and
 * claims of one process, and keys. Each test that the layer is provided to has its own.
 */
export const layerPorts = (logFaults = noFaults()) =>
  Layer.fresh(Layer.mergeAll(
    layerFaultyEventStore(logFaults),
    layerTemporaryReadModels,
    layerLeasesMemory,
    layerClaimsMemory,
    layerKeys
  ))
