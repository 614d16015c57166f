import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { existsSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beginning } from "../../../../../domain/events/recorded-event.ts"
import { layerEventStoreEmbedded } from "../../../../../infrastructure/stores/sqlite/events/store.ts"
import { snapshotOf } from "../../../../../infrastructure/stores/sqlite/read-models/database.ts"
import {
  layerKeepSnapshot,
  type SnapshotOptions
} from "../../../../../infrastructure/stores/sqlite/read-models/keep-snapshot.ts"
import { layerReadModelsEmbedded } from "../../../../../infrastructure/stores/sqlite/read-models/read-models.ts"
import { EventStore } from "../../../../../ports/event-store.ts"
import { ReadModels } from "../../../../../ports/read-models.ts"
import { slipVerified } from "../../../../support/slip-events.ts"
import { until } from "../../../../support/advance-clock.ts"
import { temporaryFolder } from "../../../../support/temporary-folder.ts"
import { addMember, at, model } from "../../../../contracts/read-models-given.ts"
import { overwrite } from "./damage.ts"

describe("the snapshot of the embedded read models", () => {
  it.live("takes the place of a file that is lost or damaged", () =>
    Effect.gen(function* () {
      for (const lose of [remove, damage, removeMainFileOnly]) {
        const folder = yield* temporaryFolder
        const file = join(folder, "models.db")
        yield* Effect.andThen(fillTo(3), untilTaken(folder)).pipe(Effect.provide(stores(folder)))
        yield* fillTo(4).pipe(Effect.provide(without(folder)))
        lose(file)
        const found = yield* ReadModels.use((models) => models.dump(model)).pipe(Effect.provide(without(folder)))
        assert.deepStrictEqual(found.checkpoint, at(3))
        assert.lengthOf(found.lines, 3)
        assert.isFalse(existsSync(snapshotOf(file)))
      }
    }))

  it.live("is not used when it is damaged itself", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const file = join(folder, "models.db")
      yield* Effect.andThen(fillTo(3), untilTaken(folder)).pipe(Effect.provide(stores(folder)))
      damage(file)
      damage(snapshotOf(file))
      const checkpoint = ReadModels.use((models) => models.checkpoint(model))
      assert.deepStrictEqual(yield* Effect.provide(checkpoint, without(folder)), beginning)
    }))

  it.live("is deleted at the start when it is ahead of the log", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* Effect.andThen(fillTo(3), untilTaken(folder)).pipe(Effect.provide(stores(folder)))
      remove(join(folder, "events.db"))
      const isThere = Effect.sync(() => existsSync(snapshotOf(join(folder, "models.db"))))
      assert.isFalse(yield* Effect.provide(isThere, stores(folder, { leastEvents: 100 })))
    }))

  it.live("is taken again only when the log has grown enough, also after one that was cut off", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const snapshot = snapshotOf(join(folder, "models.db"))
      writeFileSync(`${snapshot}.new`, "cut off")
      yield* fillTo(2).pipe(Effect.provide(stores(folder)))
      assert.isFalse(existsSync(snapshot))
      yield* Effect.andThen(fillTo(3), untilTaken(folder)).pipe(Effect.provide(stores(folder)))
      assert.strictEqual(statSync(snapshot).mode & 0o077, 0)
      assert.isFalse(existsSync(`${snapshot}.new`))
      const taken = statSync(snapshot).ino
      yield* fillTo(4).pipe(Effect.provide(stores(folder)))
      assert.strictEqual(statSync(snapshot).ino, taken)
    }))

  it.effect("is not taken while the log grows fast, but after an hour", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const isTaken = Effect.sync(() => existsSync(snapshotOf(join(folder, "models.db"))))
      const growing = stores(folder, { everyMillis: 60_000, busyEvents: 1 })
      yield* Effect.gen(function* () {
        for (let minute = 1; minute <= 60; minute++) {
          yield* fillTo(2 * minute)
          yield* TestClock.adjust("1 minute")
          assert.isFalse(yield* isTaken)
        }
        yield* fillTo(122)
        yield* TestClock.adjust("1 minute")
        yield* until(isTaken)
      }).pipe(Effect.provide(growing))
    }))

  it.effect("is taken at a later look when the file could not be measured, with a warning", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const file = join(folder, "models.db")
      const logged: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
      const keeping = stores(folder, { everyMillis: 50 }).pipe(Layer.provide(logger))
      yield* Effect.gen(function* () {
        yield* fillTo(3)
        renameSync(file, `${file}.away`)
        yield* until(Effect.sync(() => logged.length > 0))
        assert.match(logged[0] ?? "", /^No snapshot of the read models was taken/u)

        renameSync(`${file}.away`, file)
        yield* until(Effect.sync(() => existsSync(snapshotOf(file))))
      }).pipe(Effect.provide(keeping))
    }))
})

const without = (folder: string) =>
  Layer.merge(
    layerEventStoreEmbedded({ file: join(folder, "events.db") }),
    Layer.fresh(layerReadModelsEmbedded({ file: join(folder, "models.db") }))
  )

const stores = (folder: string, options: Partial<SnapshotOptions> = {}) =>
  layerKeepSnapshot({ file: join(folder, "models.db"), models: [model], leastEvents: 3, everyMillis: 5, ...options })
    .pipe(Layer.provideMerge(without(folder)))

/** Appends events, and projects them into the model. */
const fillTo = Effect.fnUntraced(function* (place: number) {
  const [models, store] = [yield* ReadModels, yield* EventStore]
  const from = Number((yield* models.checkpoint(model)).commit)
  for (let next = from + 1; next <= place; next++) {
    const { event, stream } = slipVerified()
    yield* store.append(stream, "no-stream", [event])
    yield* models.apply(model, { after: at(next - 1), upTo: at(next), writes: [addMember("due", `j${next}`, next)] })
  }
})

const untilTaken = (folder: string) =>
  Effect.sync(() => existsSync(snapshotOf(join(folder, "models.db")))).pipe(
    Effect.repeat({ until: (isThere) => isThere, schedule: Schedule.spaced("5 millis") })
  )

const remove = (file: string) => {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true })
}

/** As when only the file itself is deleted: its write-ahead log belongs to no other file. */
const removeMainFileOnly = (file: string) => {
  writeFileSync(`${file}-wal`, "left over")
  rmSync(file)
}

const damage = (file: string) => overwrite(file, 4096, statSync(file).size - 4096)
