import { assert, describe, it } from "../../../../../support/it.ts"
import { Effect, Layer, Logger, Stream } from "effect"
import { statSync } from "node:fs"
import { join } from "node:path"
import { beginning } from "../../../../../../domain/events/recorded-event.ts"
import { treeHeadStream } from "../../../../../../domain/log-proof/pending-block.ts"
import { layerLeasesMemory } from "../../../../../../infrastructure/adapters/stores/memory/coordination.ts"
import { layerEventStoreEmbedded } from "../../../../../../infrastructure/adapters/stores/sqlite/events/store.ts"
import type { MakeWriter } from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/open-file.ts"
import { layerLogFollower } from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/log-follower.ts"
import type { ModelWriter } from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/model-writer.ts"
import { layerReadModelsEmbedded } from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/read-models.ts"
import { EventStore } from "../../../../../../ports/event-store.ts"
import { layerProjector } from "../../../../../../projections/engine/projector.ts"
import { projections } from "../../../../../../projections/models/all.ts"
import { memoryFile, startSigner, verifiedLog } from "../../../../../application/log-proof/given-signer.ts"
import { eventually } from "../../../../../support/eventually.ts"
import { temporaryFolder } from "../../../../../support/temporary-folder.ts"
import { allCaughtUp, appendSlips, assertSame } from "./given-slips.ts"
import { readyWriter } from "./ready-writer.ts"

const EVENTS = 300

/** A writer with a ready thread, and what it was asked. */
const givenWriter = () => {
  const asked = { applied: 0, projected: 0, extended: 0 }
  const running: { writer?: ModelWriter } = {}
  const make: MakeWriter = (files) =>
    Effect.map(readyWriter(files), (writer) => {
      running.writer = writer
      return {
        ...writer,
        apply: (...batch) => {
          asked.applied++
          writer.apply(...batch)
        },
        project: (...next) => {
          asked.projected++
          writer.project(...next)
        },
        extend: (...next) => {
          asked.extended++
          writer.extend(...next)
        }
      }
    })
  return { asked, make, running }
}

const stores = (folder: string, writer: MakeWriter) => {
  const log = join(folder, "events.db")
  return layerLogFollower.pipe(
    Layer.provideMerge(layerReadModelsEmbedded({ file: join(folder, "models.db"), log, writer })),
    Layer.merge(layerLeasesMemory),
    Layer.provideMerge(layerEventStoreEmbedded({ file: log }))
  )
}

const fill = appendSlips(EVENTS)

/** Waits until the log has so many tree heads. */
const untilSigned = Effect.fnUntraced(function* (count: number) {
  const pages = (yield* EventStore).subscribe({ after: beginning })
  const treeHeads = Stream.filter(Stream.flatMap(pages, Stream.fromIterable), ({ stream }) => stream === treeHeadStream)
  yield* Stream.runDrain(Stream.take(treeHeads, count))
})

describe("following the log in the thread of the read models", () => {
  it.live("projects new events there, with the same result as a replay", function* () {
    const folder = yield* temporaryFolder
    const { asked, make } = givenWriter()
    yield* Effect.gen(function* () {
      for (let round = 0; round < 3; round++) {
        yield* fill
        yield* allCaughtUp
      }
      for (const projection of projections) yield* assertSame(projection, folder)
    }).pipe(Effect.provide(layerProjector(projections).pipe(Layer.provideMerge(stores(folder, make)))))
    assert.isAbove(asked.projected, 0)
  })

  it.live("moves the write-ahead log of the events into its file, while events are appended", function* () {
    const folder = yield* temporaryFolder
    const size = Effect.sync(() => statSync(join(folder, "events.db")).size)
    yield* Effect.gen(function* () {
      const before = yield* size
      yield* fill
      yield* eventually(size, (now) => now > before)
    }).pipe(Effect.provide(stores(folder, givenWriter().make)))
  })

  it.live("goes on in the main thread when the thread dies", function* () {
    const folder = yield* temporaryFolder
    const { make, running } = givenWriter()
    const projecting = layerProjector(projections).pipe(Layer.provideMerge(stores(folder, make)))
    yield* Effect.gen(function* () {
      yield* fill
      running.writer?.abandon()
      yield* fill
      yield* allCaughtUp
      for (const projection of projections) yield* assertSame(projection, folder)
    }).pipe(Effect.provide(Layer.merge(projecting, Logger.layer([]))))
  })

  it.live("hashes the events of tree heads there, and the log verifies", function* () {
    const folder = yield* temporaryFolder
    const { asked, make } = givenWriter()
    yield* Effect.gen(function* () {
      const { stop } = yield* startSigner(memoryFile(), 100)
      yield* fill
      yield* untilSigned(EVENTS / 10)
      const { findings, isWhole } = yield* eventually(verifiedLog, ({ uncovered }) => uncovered === 0)
      yield* stop
      assert.deepStrictEqual({ findings, isWhole }, { findings: [], isWhole: true })
    }).pipe(Effect.provide(stores(folder, make)))
    assert.isAbove(asked.extended, 0)
  })
})
