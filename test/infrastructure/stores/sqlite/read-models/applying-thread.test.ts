import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger } from "effect"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { beginning, type Position } from "../../../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../../../ports/event-store.ts"
import { Quota } from "../../../../../ports/quota.ts"
import { ReadModels, type Write } from "../../../../../ports/read-models.ts"
import { makeApplyBatch } from "../../../../../infrastructure/stores/sqlite/read-models/apply-batch.ts"
import type {
  FromApplying,
  ToApplying
} from "../../../../../infrastructure/stores/sqlite/read-models/applying-messages.ts"
import {
  makeApplyingThread,
  spawnApplyingWorker
} from "../../../../../infrastructure/stores/sqlite/read-models/applying-thread.ts"
import { openTables } from "../../../../../infrastructure/stores/sqlite/read-models/database.ts"
import type { MakeThread } from "../../../../../infrastructure/stores/sqlite/read-models/engine.ts"
import { layerQuotaEmbedded } from "../../../../../infrastructure/stores/sqlite/read-models/quota.ts"
import { layerReadModelsEmbedded } from "../../../../../infrastructure/stores/sqlite/read-models/read-models.ts"
import { flat } from "../../../../../infrastructure/stores/sqlite/read-models/tables.ts"
import { temporaryFolder } from "../../../../support/temporary-folder.ts"
import { atOnce } from "./at-once.ts"
import { damageInUse, execute, overwrite } from "./damage.ts"

const model = "jobs.v1"
const at = (place: number): Position => ({ commit: BigInt(place), prepare: BigInt(place) })
const charged = (id: string): Write => ({ _tag: "AddMember", set: "branch:2026-11", member: id, score: 0 })
const batch = (place: number, writes: ReadonlyArray<Write> = [charged(`v-${place}`)]) => ({
  after: at(place - 1),
  upTo: at(place),
  writes
})

const givenFile = Effect.map(temporaryFolder, (folder) => join(folder, "models.db"))

/** A file of read models that are empty. */
const givenTables = Effect.tap(givenFile, (file) => Effect.sync(() => openTables(file).tables.close()))

/** A thread that is there, on such a file, and what it said of the batches that it was given. */
const givenThread = Effect.gen(function* () {
  const file = yield* givenTables
  const thread = yield* atOnce(file)
  const outcomes: Array<unknown> = []
  const apply = (place: number) => thread.apply(model, flat(batch(place)), (outcome) => outcomes.push(outcome))
  return { apply, file, outcomes, thread }
})

/** The quota over read models in a file of their own. */
const givenQuota = (thread: MakeThread) =>
  layerQuotaEmbedded({ model, monthSet: (branch, month) => `${branch}:${month}`, monthsSet: (branch) => branch }).pipe(
    Layer.provideMerge(Layer.unwrap(Effect.map(givenFile, (file) => layerReadModelsEmbedded({ file, thread })))),
    Layer.provide(Layer.mock(EventStore, { head: Effect.succeed(beginning) }))
  )

describe("the thread that applies batches", () => {
  it.live("applies what was handed over to it before it ends", () =>
    Effect.gen(function* () {
      const { apply, file, outcomes, thread } = yield* givenThread
      for (const place of [1, 2, 3]) apply(place)
      yield* thread.close
      assert.lengthOf(outcomes, 3)
      const { checkpoints, tables } = openTables(file)
      assert.deepStrictEqual(checkpoints, [[model, at(3)]])
      assert.strictEqual(tables.count(model, "branch:2026-11"), 3)
      tables.close()
    }))

  it.live("lets go of the file when it is told to, and lives until it is ended, on every runtime", () =>
    Effect.gen(function* () {
      const worker = spawnApplyingWorker(yield* givenTables)
      const say = (message: ToApplying) => worker.postMessage(message)
      const said: Array<string> = []
      yield* Effect.callback<void>((resume) => {
        worker.on("message", (message: FromApplying) => {
          said.push(message._tag)
          if (message._tag === "Ready") say({ _tag: "Close" })
          if (message._tag === "Closed") {
            say({ _tag: "Apply", key: 1, model, batch: { after: "0/0", upTo: "1/1", writes: [] } })
          }
          if (message._tag === "Failed") resume(Effect.void)
        })
        worker.on("error", (fault) => resume(Effect.die(fault)))
        worker.on("exit", () => resume(Effect.die("it ended by itself")))
      })
      yield* Effect.promise(() => worker.terminate())
      assert.deepStrictEqual(said, ["Ready", "Closed", "Failed"])
    }))

  it.live("fails what it had not told of when it is let go, and another one takes its place", () =>
    Effect.gen(function* () {
      const { apply, outcomes, thread } = yield* givenThread
      apply(1)
      thread.abandon()
      assert.isFalse(thread.isReady())
      yield* thread.started
      assert.isTrue(thread.isReady())
      yield* thread.close
      assert.lengthOf(outcomes, 1)
      assert.instanceOf(outcomes[0], Error)
    }))

  it.live("finds damage, and the file is replaced", () =>
    Effect.gen(function* () {
      const file = yield* givenFile
      const logged: Array<unknown> = []
      const logger = Logger.layer([Logger.make(({ message }) => void logged.push(message))])
      yield* Effect.gen(function* () {
        const models = yield* ReadModels
        const many = Array.from({ length: 5_000 }, (_, index) => charged(`v-${index}`))
        yield* models.apply(model, { after: beginning, upTo: at(1), writes: many })
        execute(file, "PRAGMA wal_checkpoint(TRUNCATE)")
        overwrite(file, 4_096, statSync(file).size - 4_096)
        // A write of somebody else makes the thread forget the good pages that it holds in memory.
        execute(file, "PRAGMA user_version = 1")
        const error = yield* Effect.flip(models.apply(model, batch(2)))
        assert.strictEqual(error.reason, "unavailable")
        assert.deepStrictEqual(yield* models.checkpoint(model), beginning)
        yield* models.apply(model, { after: beginning, upTo: at(1), writes: [charged("a")] })
        assert.isTrue(yield* models.has(model, "branch:2026-11", "a"))
      }).pipe(Effect.provide(Layer.merge(layerReadModelsEmbedded({ file, thread: atOnce }), logger)))
      assert.lengthOf(logged, 1)
    }))

  it.live("is let go only once its file is deleted, or it might delete the new one's", () =>
    Effect.gen(function* () {
      const file = yield* givenFile
      const wasThere: Array<boolean> = []
      const thread: MakeThread = (file) =>
        Effect.sync(() => ({ ...makeApplyingThread(file), abandon: () => void wasThere.push(existsSync(file)) }))
      yield* Effect.gen(function* () {
        yield* (yield* ReadModels).apply(
          model,
          batch(1, Array.from({ length: 500 }, (_, index) => charged(`v-${index}`)))
        )
        yield* damageInUse(file)
      }).pipe(Effect.provide(Layer.merge(layerReadModelsEmbedded({ file, thread }), Logger.layer([]))))
      assert.deepStrictEqual(wasThere, [false])
    }))

  it.live("may end between a commit and the word on it: what was charged is counted once, and can be given back", () =>
    Effect.gen(function* () {
      const quota = yield* Quota
      const models = yield* ReadModels
      const unit = (reservationId: string) => ({ branchId: "branch", month: "2026-11", reservationId })
      yield* quota.reserve(unit("v-1"), 1)
      yield* quota.confirm(unit("v-1"))
      assert.deepStrictEqual(yield* models.apply(model, batch(1)), at(1))
      const back: Write = { _tag: "RemoveMember", set: "branch:2026-11", member: "v-1" }
      yield* models.apply(model, batch(2, [back]))
      assert.strictEqual(yield* quota.reserve(unit("v-2"), 1), "reserved")
    }).pipe(Effect.provide(givenQuota((file) =>
      Effect.sync(() => ({
        ...makeApplyingThread(file),
        isReady: () => true,
        apply: (model, batch, done) => {
          const database = new DatabaseSync(file)
          makeApplyBatch(database)(model, batch)
          database.close()
          done(new Error("the thread of the read models ended"))
        }
      }))
    ))))

  it.live("never makes a charge count twice: the last unit is had while those before it are applied", () =>
    Effect.gen(function* () {
      const limit = 300
      const month = { branchId: "branch", month: "2026-11" }
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
        const reservation = { ...month, reservationId: `v-${taken + 1}` }
        assert.strictEqual(yield* quota.reserve(reservation, taken + 1), "reserved", `unit ${taken + 1}`)
        const beyond = { ...month, reservationId: `beyond-${taken}` }
        assert.strictEqual(yield* quota.reserve(beyond, taken + 1), "exceeded")
        yield* quota.confirm(reservation)
        taken++
        // Now and then, so that some are applied while others are reserved.
        if (taken % 3 === 0) yield* Effect.yieldNow
      }
      yield* Fiber.join(projecting)
      assert.strictEqual((yield* quota.usage("branch", "2026-11")).used, limit)
    }).pipe(Effect.provide(givenQuota(atOnce))))
})
