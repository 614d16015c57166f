import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { NewEvent } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { openForCheckpoints } from "../../infrastructure/adapters/stores/sqlite/events/log-file.ts"
import { layerEventStoreEmbedded } from "../../infrastructure/adapters/stores/sqlite/events/store.ts"

// A process that appends to the event log FILE until it is killed or an append fails: `append-forever.ts FILE`.
// It writes the line `ack STREAM ID,ID,…` to stdout right after each acknowledged append, and `failed REASON` after a
// failed one. Beside the appends it moves the write-ahead log into the file, as the thread of the read models does, but
// without a pause: a kill hits most appends and checkpoints half done.

const LANES = 16
const EVENTS_PER_STREAM = 7

const [, , file = ""] = process.argv

const newEvents = (count: number): ReadonlyArray<NewEvent> => {
  const batch = randomUUID()
  return Array.from({ length: count }, () => ({
    id: randomUUID(),
    type: "AppendedForever",
    data: { batch, size: count, filling: "x".repeat(300) },
    metadata: {
      at: "2026-01-31T17:00:00.000Z",
      correlationId: batch,
      causationId: batch,
      actor: { kind: "system", id: "test" },
      schema: 1
    }
  }))
}

/** Waits until the line is written. A synchronous write fails with EAGAIN while the reader is behind. */
const print = (line: string) =>
  Effect.callback<void>((resume) => {
    process.stdout.write(`${line}\n`, () => resume(Effect.void))
  })

const lane = Effect.gen(function* () {
  const store = yield* EventStore
  while (true) {
    const stream = `forever-${randomUUID()}`
    for (let length = 0; length < EVENTS_PER_STREAM;) {
      const events = newEvents(1 + length % 3)
      yield* store.append(stream, length === 0 ? "no-stream" : length - 1, events)
      length += events.length
      yield* print(`ack ${stream} ${events.map(({ id }) => id).join()}`)
    }
  }
}).pipe(
  Effect.catchTag("EventStoreError", ({ reason }) => print(`failed ${reason}`))
)

const checkpoints = Effect.gen(function* () {
  const log = yield* Effect.acquireRelease(
    Effect.sync(() => openForCheckpoints(file)),
    (log) => Effect.sync(() => log.close())
  )
  // On a full disk a checkpoint fails, and changes nothing that is durable.
  const checkpoint = Effect.ignore(Effect.try(() => log.exec("PRAGMA wal_checkpoint(PASSIVE)")))
  return yield* Effect.forever(Effect.andThen(checkpoint, Effect.sleep("1 millis")))
})

await Effect.runPromise(
  Effect.all(Array.from({ length: LANES }, () => lane), { concurrency: "unbounded" }).pipe(
    Effect.raceFirst(Effect.scoped(checkpoints)),
    Effect.provide(layerEventStoreEmbedded({ file }))
  )
)
