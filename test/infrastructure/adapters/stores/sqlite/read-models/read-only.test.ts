import { assert, describe, it } from "../../../../../support/it.ts"
import { Context, Effect, Fiber, Layer } from "effect"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { shadowName } from "../../../../../../projections/engine/model-name.ts"
import { beginning, type Position } from "../../../../../../domain/events/recorded-event.ts"
import { ReadModels } from "../../../../../../ports/read-models.ts"
import {
  layerReadModelsEmbedded,
  layerReadModelsEmbeddedReadOnly
} from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/read-models.ts"
import { temporaryFolder } from "../../../../../support/temporary-folder.ts"
import { untilDone } from "../../../../../support/advance-clock.ts"

const model = "jobs.v1"
const at = (position: number): Position => ({ commit: BigInt(position), prepare: BigInt(position) })

const givenFile = Effect.map(temporaryFolder, (folder) => join(folder, "models.db"))

const open = (layer: Layer.Layer<ReadModels, unknown>) =>
  Effect.map(Effect.orDie(Layer.build(layer)), Context.get(ReadModels))

/** A writer and a reader with separate connections, as in two processes. */
const givenBoth = Effect.gen(function* () {
  const file = yield* givenFile
  const writer = yield* open(layerReadModelsEmbedded({ file }))
  yield* writer.apply(model, {
    after: beginning,
    upTo: at(1),
    writes: [
      { _tag: "SetFields", table: "jobs", key: "a", fields: { state: "pending" } },
      { _tag: "AddMember", set: "due", member: "a", score: 5 }
    ]
  })
  return { file, writer, reader: yield* open(layerReadModelsEmbeddedReadOnly({ file })) }
})

describe("embedded read models opened read-only", () => {
  it.effect("show the current state, and new batches of the writer immediately", function* () {
    const { reader, writer } = yield* givenBoth
    assert.deepStrictEqual(yield* reader.get(model, "jobs", "a"), { state: "pending" })
    assert.deepStrictEqual(yield* reader.has(model, [{ set: "due", member: "a" }]), [true])
    assert.deepStrictEqual(yield* reader.dump(model), yield* writer.dump(model))

    const ended = { _tag: "SetFields", table: "jobs", key: "a", fields: { state: "ended" } } as const
    yield* writer.apply(model, { after: at(1), upTo: at(2), writes: [ended] })
    assert.deepStrictEqual(yield* reader.checkpoint(model), at(2))
    assert.deepStrictEqual(yield* reader.get(model, "jobs", "a"), { state: "ended" })
  })

  it.effect("wait for a position that another process reaches", function* () {
    const { reader, writer } = yield* givenBoth
    const waiting = yield* Effect.forkChild(reader.awaitPosition(model, at(2), 1_000))
    yield* writer.apply(model, { after: at(1), upTo: at(2), writes: [] })
    yield* untilDone(waiting)
    yield* Fiber.join(waiting)
  })

  it.effect("give up waiting with `behind`", function* () {
    const { reader } = yield* givenBoth
    const waiting = yield* Effect.forkChild(Effect.flip(reader.awaitPosition(model, at(2), 1_000)))
    yield* untilDone(waiting)
    assert.strictEqual((yield* Fiber.join(waiting)).reason, "behind")
  })

  it.effect("reject writes and change nothing", function* () {
    const { reader, writer } = yield* givenBoth
    yield* writer.apply(shadowName(model), { after: beginning, upTo: at(1), writes: [] })
    const before = yield* writer.dump(model)
    const batch = { after: at(1), upTo: at(2), writes: [{ _tag: "DeleteRow", table: "jobs", key: "a" }] } as const
    assert.strictEqual((yield* Effect.flip(Effect.asVoid(reader.apply(model, batch)))).reason, "unavailable")
    assert.strictEqual((yield* Effect.flip(reader.clear(model, beginning))).reason, "unavailable")
    assert.strictEqual((yield* Effect.flip(Effect.asVoid(reader.promote(model)))).reason, "unavailable")
    assert.deepStrictEqual(yield* writer.dump(model), before)
    assert.deepStrictEqual(yield* writer.checkpoint(model), at(1))
  })

  it.effect("do not create, repair or move a file", function* () {
    const file = yield* givenFile
    const refused = Effect.flip(Layer.build(layerReadModelsEmbeddedReadOnly({ file })))
    assert.strictEqual((yield* refused).reason, "unavailable")
    assert.isFalse(existsSync(file))

    for (const content of ["notes of a user".repeat(100), "SQLite format 3\u0000".repeat(100)]) {
      writeFileSync(file, content)
      assert.strictEqual((yield* refused).reason, "unavailable")
      assert.strictEqual(readFileSync(file, "utf8"), content)
      assert.deepStrictEqual(readdirSync(dirname(file)), ["models.db"])
    }
  })

  it.effect("are independent for two files", function* () {
    const { file } = yield* givenBoth
    const other = yield* open(layerReadModelsEmbedded({ file: `${file}.other` }))
    assert.deepStrictEqual(yield* other.dump(model), { checkpoint: beginning, lines: [] })
  })
})
