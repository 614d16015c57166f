import { Effect, Stream } from "effect"
import { join } from "node:path"
import { beginning } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { layerEventStoreEmbedded } from "../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { temporaryFolder } from "../../test/support/temporary-folder.ts"
import { infoFinding } from "../figure.ts"
import { ratioOf } from "../http/laps.ts"
import { median } from "../measure/statistics.ts"
import { openBareLog } from "./bare-log.ts"
import { perSecond } from "./lap.ts"
import { slipEvents } from "../../test/support/slip-events.ts"

const APPENDERS = 64
const EVENTS_PER_ROUND = 8_000

/** Compares appends and replay of the embedded event store with bare node:sqlite. */
export const measureLog = Effect.fnUntraced(function* (rounds: number) {
  const folder = yield* temporaryFolder
  const bare = yield* Effect.acquireRelease(
    Effect.sync(() => openBareLog(join(folder, "bare.db"))),
    (log) => Effect.sync(() => log.close())
  )
  return yield* Effect.gen(function* () {
    const store = yield* EventStore
    const appends = { ours: new Array<number>(), bare: new Array<number>() }
    const replays = { ours: new Array<number>(), bare: new Array<number>() }
    for (let round = 0; round <= rounds; round++) {
      const ours = slipEvents(EVENTS_PER_ROUND)
      const bares = slipEvents(EVENTS_PER_ROUND)
      const count = (round + 1) * EVENTS_PER_ROUND
      const lap = {
        append: yield* perSecond(
          ours.length,
          Effect.forEach(ours, ({ event, stream }) => store.append(stream, "no-stream", [event]), {
            concurrency: APPENDERS,
            discard: true
          })
        ),
        bareAppend: yield* perSecond(
          bares.length,
          Effect.sync(() => {
            for (let at = 0; at < bares.length; at += APPENDERS) bare.append(bares.slice(at, at + APPENDERS))
          })
        ),
        replay: yield* perSecond(count, readAll(store, count)),
        bareReplay: yield* perSecond(count, Effect.sync(bare.replay))
      }
      // The first round warms up.
      if (round === 0) continue
      appends.ours.push(lap.append)
      appends.bare.push(lap.bareAppend)
      replays.ours.push(lap.replay)
      replays.bare.push(lap.bareReplay)
    }
    return [
      infoFinding({
        what: `appends, ${APPENDERS} appenders`,
        measured: rate(appends.ours),
        baseline: `${rate(appends.bare)} node:sqlite, ${APPENDERS} per commit`
      }, ratioOf(appends.ours, appends.bare)),
      infoFinding({
        what: "replay of the log",
        measured: rate(replays.ours),
        baseline: `${rate(replays.bare)} node:sqlite, parsed`
      }, ratioOf(replays.ours, replays.bare))
    ]
  }).pipe(Effect.provide(layerEventStoreEmbedded({ file: join(folder, "events.db") })))
})

const readAll = (store: EventStore["Service"], count: number) =>
  Effect.suspend(() => {
    let seen = 0
    return store.subscribe({ after: beginning }).pipe(
      Stream.takeUntil((page) => (seen += page.length) >= count),
      Stream.runDrain
    )
  })

export const rate = (perSeconds: ReadonlyArray<number>): string =>
  `${Math.round(median(perSeconds)).toLocaleString("en-US")}/s`
