import type { ReadReq } from "@eventstore/db-client/generated/streams_pb.js"
import { type Cause, Effect } from "effect"
import type { RecordedEvent } from "../../../domain/events/recorded-event.ts"
import type { Connection } from "./connection.ts"
import { recordedEventOf } from "./recorded-event.ts"

/** All events that a read gives; none when there is no such stream. Cancels the call when it is interrupted. */
export const readEvents = (
  connection: Connection,
  request: ReadReq
): Effect.Effect<ReadonlyArray<RecordedEvent>, Cause.UnknownError> =>
  Effect.tryPromise(async (signal) => {
    const { answers, failure } = await connection.read(request)
    const cancel = () => answers.cancel()
    signal.addEventListener("abort", cancel)
    try {
      signal.throwIfAborted()
      const events: Array<RecordedEvent> = []
      for await (const answer of answers) {
        const event = recordedEventOf(answer)
        if (event !== undefined) events.push(event)
      }
      const error = failure()
      if (error !== undefined) throw error
      return events
    } finally {
      signal.removeEventListener("abort", cancel)
      // After an error of our own the server would go on sending.
      answers.cancel()
    }
  })
