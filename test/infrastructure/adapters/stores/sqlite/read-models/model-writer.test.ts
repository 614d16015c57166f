import { assert, describe, it } from "../../../../../support/it.ts"
import { Effect, Fiber, Layer, Logger } from "effect"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { beginning, type Position } from "../../../../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../../../../ports/event-store.ts"
import { Quota } from "../../../../../../ports/quota.ts"
import { ReadModels, type Write } from "../../../../../../ports/read-models.ts"
import {
  type FlatBatch,
  makeApplyBatch
} from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/apply-batch.ts"
import { makeModelWriter } from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/model-writer.ts"
import { openTables } from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/database.ts"
import { EmbeddedReadModels } from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/engine.ts"
import type { MakeWriter } from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/open-file.ts"
import { layerQuotaEmbedded } from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/quota.ts"
import { layerReadModelsEmbedded } from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/read-models.ts"
import { flat } from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/tables.ts"
import { temporaryFolder } from "../../../../../support/temporary-folder.ts"
import type { ModelWriterFiles } from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/serve-models.ts"
import { readyWriter } from "./ready-writer.ts"
import { checkpoint, damageInUse, execute, overwrite } from "./damage.ts"

const model = "jobs.v1"
const at = (place: number): Position => ({ commit: BigInt(place), prepare: BigInt(place) })
const charged = (id: string): Write => ({ _tag: "AddMember", set: "branch:2026-11", member: id, score: 0 })
const batch = (place: number, writes: ReadonlyArray<Write> = [charged(`v-${place}`)]) => ({
  after: at(place - 1),
  upTo: at(place),
  writes
})

const givenFile = Effect.map(temporaryFolder, (folder) => join(folder, "models.db"))

/** A file with empty read models. */
const givenTables = Effect.tap(givenFile, (file) => Effect.sync(() => openTables(file).tables.close()))

/** A writer with a ready thread on such a file, and the outcomes of the batches. */
const givenThread = Effect.gen(function* () {
  const file = yield* givenTables
  const writer = yield* readyWriter({ models: file, log: undefined })
  const outcomes: Array<unknown> = []
  const apply = (place: number) => writer.apply(model, flat(batch(place)), (outcome) => outcomes.push(outcome))
  return { apply, file, outcomes, writer }
})

/** The quota over read models in a new file. */
const givenQuota = (writer: MakeWriter) =>
  layerQuotaEmbedded({ model }).pipe(
    Layer.provideMerge(Layer.unwrap(Effect.map(givenFile, (file) => layerReadModelsEmbedded({ file, writer })))),
    Layer.provide(Layer.mock(EventStore, { head: Effect.succeed(beginning) }))
  )

describe("the writer thread of the read models", () => {
  it.live("applies the pending batches before it ends", function* () {
    const { apply, file, outcomes, writer } = yield* givenThread
    for (const place of [1, 2, 3]) apply(place)
    yield* writer.close
    assert.lengthOf(outcomes, 3)
    const { checkpoints, tables } = openTables(file)
    assert.deepStrictEqual(checkpoints, [[model, at(3)]])
    assert.strictEqual(tables.count(model, "branch:2026-11"), 3)
    tables.close()
  })

  it.live("fails the pending batches when it is abandoned, and another thread can start", function* () {
    const { apply, outcomes, writer } = yield* givenThread
    apply(1)
    writer.abandon()
    assert.isFalse(writer.isReady())
    yield* writer.start
    assert.isTrue(writer.isReady())
    yield* writer.close
    assert.lengthOf(outcomes, 1)
    assert.instanceOf(outcomes[0], Error)
  })

  it.live("finds damage, and the engine replaces the file", function* () {
    const file = yield* givenFile
    const logged: Array<unknown> = []
    const logger = Logger.layer([Logger.make(({ message }) => void logged.push(message))])
    yield* Effect.gen(function* () {
      const models = yield* ReadModels
      const many = Array.from({ length: 5_000 }, (_, index) => charged(`v-${index}`))
      yield* models.apply(model, { after: beginning, upTo: at(1), writes: many })
      checkpoint(file)
      overwrite(file, 4_096, statSync(file).size - 4_096)
      // A write by another connection makes the thread drop the intact pages from its cache.
      execute(file, "PRAGMA user_version = 1")
      const error = yield* Effect.flip(models.apply(model, batch(2)))
      assert.strictEqual(error.reason, "unavailable")
      assert.deepStrictEqual(yield* models.checkpoint(model), beginning)
      yield* models.apply(model, { after: beginning, upTo: at(1), writes: [charged("a")] })
      assert.deepStrictEqual(yield* models.has(model, [{ set: "branch:2026-11", member: "a" }]), [true])
    }).pipe(Effect.provide(Layer.merge(layerReadModelsEmbedded({ file, writer: readyWriter }), logger)))
    assert.lengthOf(logged, 1)
  })

  it.live("is abandoned after its file is deleted, because closing deletes the write-ahead log by name", function* () {
    const file = yield* givenFile
    const wasThere: Array<boolean> = []
    const writer: MakeWriter = (files) =>
      Effect.sync(() => ({ ...makeModelWriter(files), abandon: () => void wasThere.push(existsSync(files.models)) }))
    yield* Effect.gen(function* () {
      yield* (yield* ReadModels).apply(
        model,
        batch(1, Array.from({ length: 500 }, (_, index) => charged(`v-${index}`)))
      )
      yield* damageInUse(file)
    }).pipe(Effect.provide(Layer.merge(layerReadModelsEmbedded({ file, writer }), Logger.layer([]))))
    assert.deepStrictEqual(wasThere, [false])
  })

  const dead = new Error("the thread read-models ended")
  const commit = (files: ModelWriterFiles, batch: FlatBatch) => {
    const database = new DatabaseSync(files.models)
    makeApplyBatch(database)(model, batch)
    database.close()
  }
  const set = "branch:2026-11"
  const unit = (reservationId: string, limit = 1) => ({ limits: [{ set, limit }], reservationIds: [reservationId] })
  const notCharged: Write = { _tag: "RemoveMember", set, member: "v-1" }

  it.live("can die between commit and answer: the charge is counted once, and can be removed", () =>
    Effect.gen(function* () {
      const quota = yield* Quota
      const models = yield* ReadModels
      yield* quota.reserve(unit("v-1"))
      assert.deepStrictEqual(yield* models.apply(model, batch(1)), at(1))
      yield* models.apply(model, batch(2, [notCharged]))
      assert.strictEqual(yield* quota.reserve(unit("v-2")), "reserved")
    }).pipe(Effect.provide(givenQuota((files) =>
      Effect.sync(() => ({
        ...makeModelWriter(files),
        isReady: () => true,
        apply: (_, batch, done) => {
          commit(files, batch)
          done(dead)
        }
      }))
    ))))

  it.live("can die so while it follows the log: the charge is counted once, and can be removed", () =>
    Effect.gen(function* () {
      const quota = yield* Quota
      const models = yield* ReadModels
      const { following } = yield* EmbeddedReadModels
      yield* quota.reserve(unit("v-1"))
      const error = yield* Effect.flip(following.project({ model, after: at(0), from: at(0) }))
      assert.strictEqual(error.reason, "unavailable")
      yield* models.apply(model, batch(2, [notCharged]))
      assert.strictEqual(yield* quota.reserve(unit("v-2")), "reserved")
    }).pipe(Effect.provide(givenQuota((files) =>
      Effect.sync(() => ({
        ...makeModelWriter(files),
        project: (_, done) => {
          commit(files, flat(batch(1)))
          done(dead)
        }
      }))
    ))))

  it.live("never counts a charge twice: the last unit can be reserved while earlier charges are applied", () =>
    Effect.gen(function* () {
      const limit = 300
      const models = yield* ReadModels
      const quota = yield* Quota
      let applied = 0
      let taken = 0
      const project = Effect.gen(function* () {
        while (applied < limit) {
          if (applied === taken) yield* Effect.yieldNow
          else yield* models.apply(model, batch(++applied))
        }
      })
      const projecting = yield* Effect.forkChild(project)
      while (taken < limit) {
        const next = unit(`v-${taken + 1}`, taken + 1)
        assert.strictEqual(yield* quota.reserve(next), "reserved", `unit ${taken + 1}`)
        assert.strictEqual(yield* quota.reserve(unit(`beyond-${taken}`, taken + 1)), "exceeded")
        taken++
        // Yields now and then, so that charges are applied between reservations.
        if (taken % 3 === 0) yield* Effect.yieldNow
      }
      yield* Fiber.join(projecting)
      assert.deepStrictEqual(yield* quota.usage([set]), [limit])
    }).pipe(Effect.provide(givenQuota(readyWriter))))
})
