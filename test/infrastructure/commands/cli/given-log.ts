import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { NewEvent } from "../../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../../ports/event-store.ts"
import { layerEventStoreEmbedded } from "../../../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { eventsFile } from "../../../../infrastructure/runtime/data-folder.ts"
import { someEvent } from "../../../support/event-fixtures.ts"

const EVENTS_PER_STREAM = 100

/** A failed verification whose reason has about this many characters. */
const failed = (index: number, characters: number): NewEvent =>
  someEvent(randomUUID(), "VerificationFailed", {
    verificationId: `v-${index}`,
    branchId: index % 2 === 0 ? "silom" : "asok",
    code: "API_SERVER_ERROR",
    why: `${index}, "${"ช้า".repeat(Math.ceil(characters / 3))}"`
  })

/** Writes a log of `count` events into a new data folder. Returns the settings. */
export const givenLog = Effect.fnUntraced(function* (dataDir: string, count: number, characters = 30) {
  const file = eventsFile(dataDir)
  yield* Effect.gen(function* () {
    const { append } = yield* EventStore
    const streams = Array.from({ length: Math.ceil(count / EVENTS_PER_STREAM) }, (_, stream) => stream)
    yield* Effect.forEach(streams, (stream) => {
      const first = stream * EVENTS_PER_STREAM
      const events = Array.from(
        { length: Math.min(EVENTS_PER_STREAM, count - first) },
        (_, index) => failed(first + index, characters)
      )
      return append(`verification-${stream}`, "no-stream", events)
    }, { concurrency: 8, discard: true })
  }).pipe(Effect.provide(layerEventStoreEmbedded({ file })))
  return { DATA_DIR: dataDir }
})
