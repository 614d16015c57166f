import { Effect } from "effect"
import { join } from "node:path"
import { beginning } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { openBareLog } from "./bare-log.ts"
import { slipEvents } from "../../test/support/slip-events.ts"

/** Writes the same slips into the event store and a bare log in `folder`. Returns the bare log and the recorded events. */
export const fillLogs = Effect.fnUntraced(function* (folder: string, count: number) {
  const events = slipEvents(count)
  const bareLog = yield* Effect.acquireRelease(
    Effect.sync(() => openBareLog(join(folder, "bare.db"))),
    (log) => Effect.sync(() => log.close())
  )
  bareLog.append(events)
  const store = yield* EventStore
  yield* Effect.forEach(events, ({ event, stream }) => store.append(stream, "no-stream", [event]), {
    concurrency: 256,
    discard: true
  })
  return { bareLog, recorded: yield* store.readAll({ after: beginning, limit: count }) }
})
