import { Effect, Layer, Redacted } from "effect"
import { type EventStoreDbOptions, layerEventStoreDb } from "../../../../infrastructure/eventstore/eventstoredb/layer.ts"
import { streamPrefixes } from "../../../../infrastructure/eventstore/eventstoredb/stream-prefixes.ts"
import { startServerProcess } from "../../../support/eventstore-server/process.ts"

/** The streams of the contract suite besides those of the service. */
export const streams = [...streamPrefixes, "contract-"]

/** The adapter for a connection string, with the tests' streams. */
export const layerAt = (connectionString: string, options: Omit<EventStoreDbOptions, "connectionString"> = {}) =>
  layerEventStoreDb({ streams, ...options, connectionString: Redacted.make(connectionString) })

/** The adapter on a server process of its own; the flags are those of the server. */
export const layerOnServer = (...flags: ReadonlyArray<string>) =>
  Layer.unwrap(Effect.map(startServerProcess(...flags), ({ port }) => layerAt(`esdb://127.0.0.1:${port}?tls=false`)))
