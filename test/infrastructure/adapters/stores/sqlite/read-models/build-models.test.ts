import { assert, describe, it } from "../../../../../support/it.ts"
import { Effect, Schema } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { beginning, formatPosition, type RecordedEvent } from "../../../../../../domain/events/recorded-event.ts"
import {
  type BuildOptions,
  openBuild
} from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/build-models.ts"
import { openTables } from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/database.ts"
import type { Write } from "../../../../../../ports/read-models.ts"
import { modelName, shadowName } from "../../../../../../projections/engine/model-name.ts"
import type { Projection } from "../../../../../../projections/engine/projection.ts"
import { fixedMembers } from "../../../../../support/fixed-members.ts"
import { naiveDump, naiveModel } from "../../../../../support/naive-model.ts"
import { runs } from "../../../../../support/runs.ts"
import { temporaryFolder } from "../../../../../support/temporary-folder.ts"
import { recordedEvent } from "../../../../../support/event-fixtures.ts"

describe("building read models from the whole log", () => {
  it.effect.prop(
    "makes what a replay makes, in steps of any size and from parts of any length",
    [Schema.Array(WriteShape), Schema.Literals([1, 2, 3, 100]), Schema.Literals([0, 0.3, 1])],
    ([writes, perStep, share]) =>
      Effect.gen(function* () {
        const { build, tables } = yield* given
        const border = Math.floor(writes.length * share)
        const parts = [pagesOf(0, border), pagesOf(border, writes.length)]
        assert.deepStrictEqual(build({ projections: [writing(writes)], perStep }, parts), [model])
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

  it.effect("lets other connections write between its steps", function* () {
    const { build, tables } = yield* given
    tables.apply("other", { after: beginning, upTo: at(1), writes: some })
    let steps = 1
    const inStep = (run: () => void) => {
      run()
      tables.apply("other", { after: at(steps), upTo: at(++steps), writes: [] })
    }
    assert.deepStrictEqual(build({ projections: [writing(some)], inStep }, [pagesOf(0, 3)]), [model])
    assert.isAbove(steps, 3)
    assert.deepStrictEqual(tables.checkpoint("other"), at(steps))
    assert.deepStrictEqual(tables.dump(shadow).lines, tables.dump("other").lines)
  })

  it.effect("counts a member once that several events add to a fixed set", function* () {
    const { build, tables } = yield* given
    const add = (member: string): Write => ({ _tag: "AddMember", set: "all", member, score: 0, isFixed: true })
    const writes = ["b", "a", "b", "c", "b"].map(add)
    for (const perStep of [1, 2, 100]) {
      assert.deepStrictEqual(build({ projections: [writing(writes)], perStep }, [pagesOf(0, 3), pagesOf(3, 5)]), [
        model
      ])
      assert.strictEqual(tables.count(shadow, "all"), 3)
      assert.deepStrictEqual(tables.dump(shadow).lines, naiveDump(naiveModel(writes)))
    }
  })

  it.effect("leaves out a projection that throws on an event", function* () {
    const { build, tables } = yield* given
    const throwing: Projection = {
      ...writing(some),
      name: "throwing",
      when: ({ revision }) => {
        if (revision === 1) throw new Error("unknown type")
        return some
      }
    }
    assert.deepStrictEqual(build({ projections: [throwing, writing(some)] }, [pagesOf(0, 1), pagesOf(1, 3)]), [model])
    assert.deepStrictEqual(tables.checkpoints(), [[shadow, at(3)]])
  })

  it.effect("does not complete a shadow model that was cleared meanwhile, and leaves nothing of it", function* () {
    const { build, file, tables } = yield* given
    let steps = 0
    const inStep = (run: () => void) => {
      if (++steps === 4) tables.clear(shadow)
      run()
    }
    assert.deepStrictEqual(build({ projections: [writing(some)], inStep }, [pagesOf(0, 3)]), [])
    assert.strictEqual(steps, 4)
    while (tables.sweep());
    assert.deepStrictEqual(contentOf(file), { generations: 0, models: 0, rows: 0, sets: 0, members: 0, scored: 0 })
  })

  it.effect("takes the place of a shadow model that another rebuild has begun meanwhile", function* () {
    const { build, tables } = yield* given
    let steps = 0
    const inStep = (run: () => void) => {
      // The first step removes the shadows, the second begins this one.
      if (++steps === 2) tables.apply(shadow, { after: beginning, upTo: at(1), writes: some.slice(0, 1) })
      run()
    }
    assert.deepStrictEqual(build({ projections: [writing(some)], inStep }, [pagesOf(0, 3)]), [model])
    assert.deepStrictEqual(tables.dump(shadow), { checkpoint: at(3), lines: naiveDump(naiveModel(some)) })
  })

  it.effect("begins again after a build that was cut off", function* () {
    const { build, tables } = yield* given
    let steps = 0
    const inStep = (run: () => void) => {
      if (++steps === 4) throw new Error("the thread was stopped")
      run()
    }
    assert.throws(() => build({ projections: [writing(some)], inStep }, [pagesOf(0, 3)]), /stopped/u)
    assert.deepStrictEqual(tables.checkpoint(shadow), beginning)
    assert.deepStrictEqual(build({ projections: [writing(some)] }, [pagesOf(0, 3)]), [model])
    assert.isDefined(tables.promote(model))
    assert.deepStrictEqual(tables.dump(model).lines, naiveDump(naiveModel(some)))
  })

  it.effect("deletes what a replaced model held, in steps, and nothing of others", function* () {
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
  })
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

const event = (revision: number) => recordedEvent("Any", {}, { stream: "job-1", revision, position: at(revision + 1) })

/** The events between two revisions, in pages of two. */
const pagesOf = function* (from: number, to: number) {
  for (let first = from; first < to; first += 2) {
    yield Array.from({ length: Math.min(2, to - first) }, (_, index) => event(first + index))
  }
}

const given = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const file = join(folder, "models.db")
  const { tables } = yield* Effect.acquireRelease(
    Effect.sync(() => openTables(file)),
    ({ tables }) => Effect.sync(() => tables.close())
  )
  let builds = 0
  /** Builds from the parts of a log as threads do, one after the other. Returns the complete models. */
  const build = (
    options: Omit<BuildOptions, "file" | "part" | "parts">,
    pages: ReadonlyArray<Iterable<ReadonlyArray<RecordedEvent>>>
  ): ReadonlyArray<string> => {
    builds++
    const parts = pages.map((_, part) => join(folder, `${builds}-${part}`))
    const all = parts.map((_, part) => openBuild({ ...options, file, part, parts }))
    try {
      const collected = all.map((each, part) => each.collect(pages[part] ?? []))
      const upTo = collected.findLast(({ upTo }) => upTo !== formatPosition(beginning))?.upTo
        ?? formatPosition(beginning)
      return options.projections.map(modelName)
        .filter((model) => collected.every(({ writes }) => writes.has(model)))
        .filter((model, index) => {
          const builder = all[index % all.length]
          builder?.sort(model, { hasRemovals: collected.some(({ writes }) => writes.get(model)?.hasRemovals) })
          return builder?.fill(model, upTo)
        })
    } finally {
      for (const each of all) each.close()
    }
  }
  return { build, file, tables }
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
