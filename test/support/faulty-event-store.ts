import { Effect, Layer } from "effect"
import { type Appended, EventStore, type EventStoreError, type WrongExpectedRevision } from "../../ports/event-store.ts"
import { layerEventStoreMemory } from "./memory-event-store.ts"

/** The faults of the log: before an append, after a written one, before a stream is read. */
export interface LogFaults {
  before: (stream: string) => Effect.Effect<void, EventStoreError | WrongExpectedRevision>
  after: (appended: Appended, stream: string) => Effect.Effect<Appended, EventStoreError>
  read: (stream: string) => Effect.Effect<void, EventStoreError>
}

export const noFaults = (): LogFaults => ({
  before: () => Effect.void,
  after: Effect.succeed,
  read: () => Effect.void
})

/** A log in memory with the given faults, which may change between appends. */
export const layerFaultyEventStore = (logFaults: LogFaults): Layer.Layer<EventStore> =>
  Layer.effect(
    EventStore,
    Effect.map(EventStore, (store) =>
      EventStore.of({
        ...store,
        readStream: (stream, options) =>
          Effect.andThen(Effect.suspend(() => logFaults.read(stream)), store.readStream(stream, options)),
        append: (stream, expected, events) =>
          Effect.suspend(() => logFaults.before(stream)).pipe(
            Effect.andThen(store.append(stream, expected, events)),
            Effect.flatMap((appended) => logFaults.after(appended, stream))
          )
      }))
  ).pipe(Layer.provide(Layer.fresh(layerEventStoreMemory)))
