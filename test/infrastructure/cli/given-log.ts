import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { NewEvent } from "../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { layerEventStoreEmbedded } from "../../../infrastructure/stores/sqlite/events/store.ts"
import { eventsFile } from "../../../infrastructure/runtime/data-folder.ts"
import { someEvent } from "../../support/event-fixtures.ts"

const EVENTS_A_STREAM = 100

/** An event that failed for a reason of this many characters. */
const failed = (index: number, characters: number): NewEvent =>
  someEvent(randomUUID(), "VerificationFailed", {
    verificationId: `v-${index}`,
    branchId: index % 2 === 0 ? "silom" : "asok",
    code: "API_SERVER_ERROR",
    why: `${index}, "${"ช้า".repeat(Math.ceil(characters / 3))}"`
  })

/** A log of so many events in a data folder that no service has run in. */
export const givenLog = Effect.fnUntraced(function* (dataDir: string, count: number, characters = 30) {
  const file = eventsFile(dataDir)
  yield* Effect.gen(function* () {
    const { append } = yield* EventStore
    const streams = Array.from({ length: Math.ceil(count / EVENTS_A_STREAM) }, (_, stream) => stream)
    yield* Effect.forEach(streams, (stream) => {
      const first = stream * EVENTS_A_STREAM
      const events = Array.from(
        { length: Math.min(EVENTS_A_STREAM, count - first) },
        (_, index) => failed(first + index, characters)
      )
      return append(`verification-${stream}`, "no-stream", events)
    }, { concurrency: 8, discard: true })
  }).pipe(Effect.provide(layerEventStoreEmbedded({ file })))
  return { DATA_DIR: dataDir }
})
