import { Effect, Layer, Redacted, References } from "effect"
import {
  type EventStoreDbOptions,
  layerEventStoreDb,
  streamPrefixes
} from "../../../../../infrastructure/adapters/stores/eventstoredb/store.ts"
import { type ServerProcess, startServerProcess } from "../../../../support/eventstore-server/process.ts"

type Options = Omit<EventStoreDbOptions, "connectionString">

/** The adapter for a connection string, with the streams of the service and of the contract tests. */
export const layerAt = (connectionString: string, options: Options = {}) =>
  layerEventStoreDb({
    streams: [...streamPrefixes, "contract-"],
    ...options,
    connectionString: Redacted.make(connectionString)
  })

export const addressOf = ({ port }: ServerProcess): string => `esdb://127.0.0.1:${port}?tls=false`

/** The adapter on a new server process with these flags. */
export const layerOnServer = (...flags: ReadonlyArray<string>) =>
  Layer.unwrap(Effect.map(startServerProcess(...flags), (server) => layerAt(addressOf(server))))

/** Provides the adapter for a server, without warnings in the log. */
export const on = (server: ServerProcess, options: Options = {}) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(
    Effect.provide(layerAt(addressOf(server), options)),
    Effect.provideService(References.MinimumLogLevel, "Error")
  )
