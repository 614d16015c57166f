import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { beginning, type RecordedEvent } from "../../../../../domain/events/recorded-event.ts"
import { buildModels } from "../../../../../infrastructure/stores/sqlite/read-models/build-models.ts"
import { openTables } from "../../../../../infrastructure/stores/sqlite/read-models/database.ts"
import type { Write } from "../../../../../ports/read-models.ts"
import { shadowName } from "../../../../../projections/engine/model-name.ts"
import type { Projection } from "../../../../../projections/engine/projection.ts"
import { someEvent } from "../../../../support/event-fixtures.ts"
import { fixedMembers } from "../../../../support/fixed-members.ts"
import { naiveDump, naiveModel } from "../../../../support/naive-model.ts"
import { runs } from "../../../../support/runs.ts"
import { temporaryFolder } from "../../../../support/temporary-folder.ts"

describe("building read models from the whole log", () => {
  it.effect.prop(
    "makes what a replay makes, in steps of any size",
    [Schema.Array(WriteShape), Schema.Literals([1, 2, 3, 100])],
    ([writes, perStep]) =>
      Effect.gen(function* () {
        const { file, tables } = yield* given
        const pages = pagesOf(writes.length)
        assert.deepStrictEqual(buildModels({ file, projections: [writing(writes)], pages, perStep }), [model])
        assert.deepStrictEqual(tables.dump(shadow), {
          checkpoint: at(writes.length),
          lines: naiveDump(naiveModel(writes))
        })
        for (const [set, members] of naiveModel(writes).sets) {
          assert.strictEqual(tables.count(shadow, set), members.size)
          const inOrder = Array.from(members, ([member, score]) => ({ member, score }))
            .sort((a, b) => a.score - b.score || (a.member < b.member ? -1 : 1))
          assert.deepStrictEqual(tables.members(shadow, set), inOrder)
        }
      }).pipe(Effect.scoped),
    { arbitrary: { runs: runs(40), size: 30 } }
  )

  it.effect("lets other connections write between its steps", () =>
    Effect.gen(function* () {
      const { file, tables } = yield* given
      tables.apply("other", { after: beginning, upTo: at(1), writes: some })
      const pages = function* () {
        yield* pagesOf(3)
        tables.apply("other", { after: at(1), upTo: at(2), writes: [] })
      }
      assert.deepStrictEqual(buildModels({ file, projections: [writing(some)], pages: pages() }), [model])
      assert.deepStrictEqual(tables.checkpoint("other"), at(2))
      assert.deepStrictEqual(tables.dump(shadow).lines, tables.dump("other").lines)
    }))

  it.effect("leaves out a projection that throws on an event", () =>
    Effect.gen(function* () {
      const { file, tables } = yield* given
      const throwing: Projection = {
        ...writing(some),
        name: "throwing",
        when: ({ revision }) => {
          if (revision === 1) throw new Error("unknown type")
          return some
        }
      }
      assert.deepStrictEqual(buildModels({ file, projections: [throwing, writing(some)], pages: pagesOf(3) }), [model])
      assert.deepStrictEqual(tables.checkpoints(), [[shadow, at(3)]])
    }))

  it.effect("does not complete a shadow model that was cleared meanwhile, and leaves nothing of it", () =>
    Effect.gen(function* () {
      const { file, tables } = yield* given
      const pages = function* () {
        yield* pagesOf(3)
        tables.clear(shadow)
      }
      assert.deepStrictEqual(buildModels({ file, projections: [writing(some)], pages: pages() }), [])
      while (tables.sweep());
      assert.deepStrictEqual(contentOf(file), { generations: 0, models: 0, rows: 0, sets: 0, members: 0, scored: 0 })
    }))

  it.effect("begins again after a build that was cut off", () =>
    Effect.gen(function* () {
      const { file, tables } = yield* given
      const cutOff = function* () {
        yield* pagesOf(2)
        throw new Error("the thread was stopped")
      }
      assert.throws(() => buildModels({ file, projections: [writing(some)], pages: cutOff() }), /stopped/u)
      assert.deepStrictEqual(tables.dump(shadow), { checkpoint: beginning, lines: [] })
      assert.deepStrictEqual(buildModels({ file, projections: [writing(some)], pages: pagesOf(3) }), [model])
      assert.isDefined(tables.promote(model))
      assert.deepStrictEqual(tables.dump(model).lines, naiveDump(naiveModel(some)))
    }))

  it.effect("deletes what a replaced model held, in steps, and nothing of others", () =>
    Effect.gen(function* () {
      const { file, tables } = yield* given
      const many = Array.from({ length: 1_200 }, (_, n): ReadonlyArray<Write> => [
        { _tag: "AddMember", set: "all", member: `m${n}`, score: n },
        { _tag: "AddMember", set: `s${n}`, member: "only", score: n },
        { _tag: "SetFields", table: "jobs", key: `k${n}`, fields: { n } }
      ]).flat()
      tables.apply(model, { after: beginning, upTo: at(1), writes: many })
      tables.apply("other", { after: beginning, upTo: at(1), writes: some })
      const before = tables.dump("other")
      tables.clear(model)
      let steps = 0
      while (tables.sweep()) steps++
      assert.isAbove(steps, 3)
      assert.deepStrictEqual(tables.dump("other"), before)
      assert.deepStrictEqual(contentOf(file), { generations: 1, models: 1, rows: 1, sets: 1, members: 2, scored: 2 })
    }))
})

const name = Schema.Literals(["a", "b", "ก"])
const value = Schema.NullOr(Schema.Literals([1, "x"]))
const amount = Schema.Literals([1, 5, -3])
const WriteShape = Schema.Union([
  Schema.TaggedStruct("SetFields", {
    table: name,
    key: name,
    fields: Schema.Struct({ f: Schema.optionalKey(value), g: Schema.optionalKey(value) })
  }),
  Schema.TaggedStruct("AddToFields", {
    table: name,
    key: name,
    amounts: Schema.Struct({ f: Schema.optionalKey(amount), g: Schema.optionalKey(amount) })
  }),
  Schema.TaggedStruct("DeleteRow", { table: name, key: name }),
  Schema.TaggedStruct("AddMember", { set: name, member: name, score: Schema.Literals([-1, 0, 2.5]) }),
  Schema.TaggedStruct("RemoveMember", { set: name, member: name }),
  ...fixedMembers
])

const model = "jobs.v1"
const shadow = shadowName(model)
const at = (place: number) => ({ commit: BigInt(place), prepare: BigInt(place) })

const some: ReadonlyArray<Write> = [
  { _tag: "AddMember", set: "due", member: "j1", score: 1 },
  { _tag: "SetFields", table: "jobs", key: "j1", fields: { state: "done" } },
  { _tag: "AddMember", set: "due", member: "j2", score: 2 }
]

/** A projection whose event n makes the n-th of these writes. */
const writing = (writes: ReadonlyArray<Write>): Projection => ({
  name: "jobs",
  version: 1,
  streams: ["job-"],
  when: ({ revision }) => writes.slice(revision, revision + 1)
})

const event = (revision: number): RecordedEvent => ({
  ...someEvent("", "Any"),
  stream: "job-1",
  revision,
  position: at(revision + 1),
  recordedAt: 0
})

/** Pages of two events. */
const pagesOf = function* (count: number) {
  for (let from = 0; from < count; from += 2) {
    yield Array.from({ length: Math.min(2, count - from) }, (_, index) => event(from + index))
  }
}

const given = Effect.gen(function* () {
  const file = join(yield* temporaryFolder, "models.db")
  const { tables } = yield* Effect.acquireRelease(
    Effect.sync(() => openTables(file)),
    ({ tables }) => Effect.sync(() => tables.close())
  )
  return { file, tables }
})

/** The number of entries in each table. */
const contentOf = (file: string) => {
  const database = new DatabaseSync(file, { readOnly: true })
  const names = ["generations", "models", "rows", "sets", "members", "scored"]
  const counts = names.map((name) =>
    [name, database.prepare(`SELECT count(*) AS n FROM ${name}`).get()?.["n"]] as const
  )
  database.close()
  return Object.fromEntries(counts)
}
