import { assert, describe, it } from "../support/it.ts"
import { Effect, type Scope, Stream } from "effect"
import { treeHeadStream } from "../../domain/log-proof/pending-block.ts"
import { beginning, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import type { LogEntry, LoggedEvent, LogSource } from "../../ports/log-source.ts"
import { givenSignedLog, layerSigning, type SignedLog } from "../support/signed-log.ts"

/** Opens the log for verification. */
export type OpenSource = (log: SignedLog) => Effect.Effect<LogSource, unknown, Scope.Scope>

const logged = ({ recordedAt: _, ...event }: RecordedEvent): LoggedEvent => event

/** The events of a log, as its store returns them. */
const eventsOf = (log: SignedLog) =>
  EventStore.use((store) => store.readAll({ after: beginning, limit: 10_000 })).pipe(
    Effect.map((events) => events.map(logged)),
    Effect.provide(layerSigning(log))
  )

/** The event of an entry; the entry itself when it is none, or when something is wrong with it. */
const eventOf = (entry: LogEntry): LogEntry | LoggedEvent => {
  if (entry._tag !== "Event" || entry.anomaly !== undefined) return entry
  const { data, id, metadata, position, revision, stream, type } = entry.event
  return { data, id, metadata, position, revision, stream, type }
}

const read = Effect.fnUntraced(function* (open: OpenSource, log: SignedLog) {
  const { events, treeHeads } = yield* open(log)
  // As a verification does: both at the same time.
  const [pages, heads] = yield* Effect.all([Stream.runCollect(events), Stream.runCollect(treeHeads)], {
    concurrency: "unbounded"
  })
  return { events: pages.flat().map(eventOf), treeHeads: heads.map(eventOf) }
})

/** What every source of a log must do. */
export const logSourceContract = (name: string, open: OpenSource): void => {
  describe(`log source contract: ${name}`, () => {
    it.live("has every event once, in the order of the log, with the content that the store returns", function* () {
      const log = yield* givenSignedLog(300, 1, 420)
      const { events } = yield* read(open, log)
      assert.deepStrictEqual(events, yield* eventsOf(log))
      assert.lengthOf(events, 724)
    })

    it.live("has the tree heads alone too, in their order", function* () {
      const log = yield* givenSignedLog(1, 2, 3)
      const { treeHeads } = yield* read(open, log)
      const ofStream = (yield* eventsOf(log)).filter(({ stream }) => stream === treeHeadStream)
      assert.deepStrictEqual(treeHeads, ofStream)
      assert.deepStrictEqual(ofStream.map(({ revision }) => revision), [0, 1, 2])
    })

    it.live("has no entry when the log is empty", function* () {
      assert.deepStrictEqual(yield* read(open, yield* givenSignedLog(0)), { events: [], treeHeads: [] })
    })
  })
}
