import { assert, describe, it } from "../../../../../support/it.ts"
import { Context, Effect, Fiber, Layer, Logger } from "effect"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { beginning, type Position } from "../../../../../../domain/events/recorded-event.ts"
import { ReadModels, type Write } from "../../../../../../ports/read-models.ts"
import { layerReadModelsEmbedded } from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/read-models.ts"
import { temporaryFolder } from "../../../../../support/temporary-folder.ts"
import { untilDone } from "../../../../../support/advance-clock.ts"
import { execute, overwrite } from "./damage.ts"

describe("the file of the embedded read models", () => {
  it.effect("contains the applied batches after a restart", function* () {
    const { file, logged } = yield* given
    yield* fill(file, 3)
    yield* withFile(
      file,
      Effect.gen(function* () {
        const models = yield* ReadModels
        assert.deepStrictEqual(yield* models.checkpoint(model), at(1))
        assert.strictEqual(yield* models.count(model, "due"), 3)
      })
    )
    assert.deepStrictEqual(logged, [])
  })

  it.effect("opens in the folder of a version that kept a snapshot, and removes it", function* () {
    const { file } = yield* given
    yield* fill(file, 3)
    for (const suffix of [".snapshot", ".snapshot.new"]) writeFileSync(file + suffix, "an earlier state")
    const checkpoint = yield* withFile(file, ReadModels.use((models) => models.checkpoint(model)))
    assert.deepStrictEqual(checkpoint, at(1))
    assert.deepStrictEqual(readdirSync(join(file, "..")).filter((name) => name.includes("snapshot")), [])
  })

  it.effect("is replaced by an empty one when it was truncated or overwritten", function* () {
    for (const damage of [cutInHalf, overwriteMiddle]) {
      const { file, logged, logger } = yield* given
      yield* fill(file, 2_000)
      damage(file)
      yield* withFile(
        file,
        Effect.gen(function* () {
          const models = yield* ReadModels
          assert.deepStrictEqual(yield* models.checkpoint(model), beginning)
          assert.deepStrictEqual(yield* models.dump(model), { checkpoint: beginning, lines: [] })
          yield* models.apply(model, { after: beginning, upTo: at(1), writes: writes(2) })
          assert.strictEqual(yield* models.count(model, "due"), 2)
        })
      ).pipe(Effect.provide(logger))
      assert.lengthOf(logged, 1)
      assert.deepStrictEqual(readdirSync(join(file, "..")).filter((name) => name.includes("aside")), [])
    }
  })

  it.effect("is replaced by an empty one when another version wrote it or tables are missing", function* () {
    for (const sql of ["PRAGMA user_version=99", "DROP TABLE members"]) {
      const { file, logged, logger } = yield* given
      yield* fill(file, 2)
      execute(file, sql)
      const checkpoint = yield* withFile(file, ReadModels.use((models) => models.checkpoint(model))).pipe(
        Effect.provide(logger)
      )
      assert.deepStrictEqual(checkpoint, beginning)
      assert.lengthOf(logged, 1)
    }
  })

  it.effect("moves a file that does not contain read models aside unchanged", function* () {
    const { file, logged, logger } = yield* given
    execute(file, "PRAGMA journal_mode=WAL; CREATE TABLE events(n); INSERT INTO events VALUES (42)")
    yield* fill(file, 2).pipe(Effect.provide(logger))
    yield* fill(file, 0).pipe(Effect.provide(logger))
    assert.lengthOf(logged, 1)
    const movedAside = new DatabaseSync(`${file}.aside-1`)
    assert.propertyVal(movedAside.prepare("SELECT n FROM events").get(), "n", 42)
    movedAside.close()

    writeFileSync(file, "notes of a user".repeat(100))
    yield* fill(file, 2).pipe(Effect.provide(logger))
    assert.match(readFileSync(`${file}.aside-2`, "utf8"), /^notes of a user/u)
  })

  it.effect("is replaced when damage is found while it is open", function* () {
    const { file, logged, logger } = yield* given
    yield* fill(file, 2_000)
    yield* withFile(
      file,
      Effect.gen(function* () {
        const models = yield* ReadModels
        overwriteMiddle(file)
        // A write by another connection makes the engine drop the intact pages from its cache.
        execute(file, "INSERT INTO models(name, generation, position) VALUES ('other', 0, '1/1')")
        const error = yield* Effect.flip(Effect.asVoid(models.dump(model)))
        assert.strictEqual(error.reason, "unavailable")
        assert.deepStrictEqual(yield* models.checkpoint(model), beginning)
        assert.propertyVal(yield* Effect.flip(Effect.asVoid(models.count(model, "due"))), "reason", "behind")
        yield* models.apply(model, { after: beginning, upTo: at(1), writes: writes(2) })
        assert.strictEqual(yield* models.count(model, "due"), 2)
      })
    ).pipe(Effect.provide(logger))
    assert.lengthOf(logged, 1)
  })

  it.effect("fails with `unavailable` when it can't be created", function* () {
    const { file } = yield* given
    writeFileSync(file, "")
    const error = yield* Effect.flip(Layer.build(layerReadModelsEmbedded({ file: join(file, "models.db") })))
    assert.strictEqual(error.reason, "unavailable")
    assert.isTrue(existsSync(file))
  })

  it.effect("can be open twice: each sees the other's batches, and a batch is applied once", function* () {
    const { file } = yield* given
    const one = yield* open(file)
    const other = yield* open(file)
    const waiter = yield* Effect.forkChild(other.awaitPosition(model, at(1), 10_000))
    yield* one.apply(model, { after: beginning, upTo: at(1), writes: writes(2) })
    yield* untilDone(waiter)
    yield* Fiber.join(waiter)
    assert.deepStrictEqual(yield* other.apply(model, { after: beginning, upTo: at(7), writes: writes(9) }), at(1))
    assert.strictEqual(yield* other.count(model, "due"), 2)
  })
})

const model = "jobs.v1"
const at = (place: number): Position => ({ commit: BigInt(place), prepare: BigInt(place) })

/** A path in a temporary folder, and the messages that `logger` receives. */
const given = Effect.map(temporaryFolder, (folder) => {
  const logged: Array<unknown> = []
  const logger = Logger.layer([Logger.make(({ message }) => void logged.push(message))])
  return { file: join(folder, "models.db"), logged, logger }
})

const writes = (count: number): ReadonlyArray<Write> =>
  Array.from({ length: count }, (_, index): ReadonlyArray<Write> => [
    { _tag: "AddMember", set: "due", member: `j${index}`, score: index },
    { _tag: "SetFields", table: "jobs", key: `j${index}`, fields: { state: "pending", note: "x".repeat(100) } }
  ]).flat()

const open = (file: string) =>
  Effect.map(Layer.build(Layer.fresh(layerReadModelsEmbedded({ file }))), (context) => Context.get(context, ReadModels))

const withFile = <A, E>(file: string, body: Effect.Effect<A, E, ReadModels>) =>
  Effect.provide(body, layerReadModelsEmbedded({ file }))

const fill = (file: string, count: number) =>
  withFile(
    file,
    ReadModels.use((models) => models.apply(model, { after: beginning, upTo: at(1), writes: writes(count) }))
  )

const cutInHalf = (file: string) => writeFileSync(file, readFileSync(file).subarray(0, statSync(file).size / 2))

const overwriteMiddle = (file: string) => overwrite(file, statSync(file).size / 4, statSync(file).size / 2)
