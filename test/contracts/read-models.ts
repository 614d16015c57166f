import { assert, describe, it } from "../support/it.ts"
import { Effect, Fiber, type Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { beginning, type JsonObject } from "../../domain/events/recorded-event.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { fixedMembers } from "../support/fixed-members.ts"
import { naiveDump, naiveModel } from "../support/naive-model.ts"
import { untilDone } from "../support/advance-clock.ts"
import {
  addMember,
  addToFields,
  at,
  deleteRow,
  given,
  model,
  of,
  removeMember,
  setFields
} from "./read-models-given.ts"
import { setsContract } from "./sets.ts"
import { type LossOptions, wholeModelsContract } from "./whole-models.ts"
import { runs } from "../support/runs.ts"

/**
 * What every engine of the ReadModels port must do. `layer` gives an empty engine, with everything that it and `lose`
 * need. It is built once for each test.
 */
export const readModelsContract = <R, E>(
  engine: string,
  layer: () => Layer.Layer<ReadModels | R, E>,
  options: LossOptions<R>
): void => {
  const test = it.effect.with(layer)

  describe(`ReadModels on ${engine}`, () => {
    describe("an empty model", () => {
      test("has its checkpoint at the beginning and no rows, members or dump", function* () {
        const models = yield* ReadModels
        assert.deepStrictEqual(yield* models.checkpoint(model), beginning)
        assert.isUndefined(yield* models.get(model, "jobs", "j1"))
        assert.strictEqual(yield* models.count(model, "due"), 0)
        assert.deepStrictEqual(yield* models.has(model, [{ set: "due", member: "j1" }]), [false])
        assert.deepStrictEqual(yield* models.members(model, "due"), [])
        assert.deepStrictEqual(yield* models.dump(model), { checkpoint: beginning, lines: [] })
        const batchWrites = yield* models.batchWrites
        assert.isTrue(Number.isInteger(batchWrites) && batchWrites > 0)
      })
    })

    describe("rows", () => {
      test("keep the fields that a write does not name", function* () {
        const { get, write } = yield* given
        yield* write(setFields("jobs", "j1", { state: "pending", attempts: 1 }))
        yield* write(setFields("jobs", "j1", { state: "done" }))
        assert.deepStrictEqual(yield* get("jobs", "j1"), { state: "done", attempts: 1 })
      })

      test("keep null as a value and replace a nested value as a whole", function* () {
        const { get, write } = yield* given
        yield* write(setFields("jobs", "j1", { quota: 5, limits: { day: 1, month: 2 } }))
        yield* write(setFields("jobs", "j1", { quota: null, limits: { day: 3 } }))
        assert.deepStrictEqual(yield* get("jobs", "j1"), { quota: null, limits: { day: 3 } })
      })

      test("keep any JSON value", function* () {
        const { get, write } = yield* given
        const fields: JsonObject = {
          "": "",
          "a.b\"c'\\d": ["ก", "𐀀", "\u0000", "\n"],
          "0": [true, false, null, -1.5, 1e21, 9007199254740991, {}, []],
          __proto: { constructor: "x" }
        }
        yield* write(setFields("jobs", "a:b/ก\"'", fields))
        assert.deepStrictEqual(yield* get("jobs", "a:b/ก\"'"), fields)
      })

      test("start empty after they were deleted, within a batch and across batches", function* () {
        const { get, write } = yield* given
        yield* write(setFields("jobs", "j1", { a: 1 }), deleteRow("jobs", "j1"), setFields("jobs", "j1", { b: 2 }))
        assert.deepStrictEqual(yield* get("jobs", "j1"), { b: 2 })
        yield* write(deleteRow("jobs", "j1"))
        assert.isUndefined(yield* get("jobs", "j1"))
        yield* write(deleteRow("jobs", "j1"), setFields("jobs", "j1", {}))
        assert.deepStrictEqual(yield* get("jobs", "j1"), {})
      })
    })

    describe("counters", () => {
      test("add up within a batch and across batches, from 0", function* () {
        const { get, write } = yield* given
        yield* write(
          addToFields("hours", "h1", { verified: 2 }),
          addToFields("hours", "h1", { verified: 1, failed: 1 })
        )
        yield* write(addToFields("hours", "h1", { verified: 1 }), addToFields("hours", "h2", {}))
        assert.deepStrictEqual(yield* get("hours", "h1"), { verified: 4, failed: 1 })
        assert.deepStrictEqual(yield* get("hours", "h2"), {})
      })

      test("count large numbers exactly", function* () {
        const { get, write } = yield* given
        yield* write(addToFields("hours", "h1", { satang: 9_007_199_254_740_000 }))
        yield* write(addToFields("hours", "h1", { satang: 991 }))
        assert.deepStrictEqual(yield* get("hours", "h1"), { satang: Number.MAX_SAFE_INTEGER })
      })

      test("keep the order with other writes to the row", function* () {
        const { get, write } = yield* given
        const add = addToFields("hours", "h1", { a: 1, b: 1 })
        yield* write(add, setFields("hours", "h1", { a: 10 }), add)
        assert.deepStrictEqual(yield* get("hours", "h1"), { a: 11, b: 2 })
        yield* write(add, deleteRow("hours", "h1"), add)
        assert.deepStrictEqual(yield* get("hours", "h1"), { a: 1, b: 1 })
        yield* write(setFields("hours", "h1", { a: "text", b: null }), add)
        assert.deepStrictEqual(yield* get("hours", "h1"), { a: 1, b: 1 })
      })

      test("are counted once when a batch is applied twice", function* () {
        const { get, models } = yield* given
        const batch = { after: beginning, upTo: at(1), writes: [addToFields("hours", "h1", { verified: 1 })] }
        yield* models.apply(model, batch)
        assert.deepStrictEqual(yield* models.apply(model, batch), at(1))
        assert.deepStrictEqual(yield* get("hours", "h1"), { verified: 1 })
      })
    })

    setsContract(test)

    describe("checkpoints", () => {
      test("move with a batch, also with one that writes nothing", function* () {
        const models = yield* ReadModels
        assert.deepStrictEqual(yield* models.apply(model, { after: beginning, upTo: at(3), writes: [] }), at(3))
        assert.deepStrictEqual(yield* models.checkpoint(model), at(3))
      })

      test("make a repeated batch change nothing", function* () {
        const models = yield* ReadModels
        const first = { after: beginning, upTo: at(1), writes: [setFields("jobs", "j1", { state: "pending" })] }
        yield* models.apply(model, first)
        yield* models.apply(model, {
          after: at(1),
          upTo: at(2),
          writes: [setFields("jobs", "j1", { state: "done" })]
        })
        assert.deepStrictEqual(yield* models.apply(model, first), at(2))
        assert.deepStrictEqual(yield* models.get(model, "jobs", "j1"), { state: "done" })
      })

      test("stay where they are with a batch that only removes what has expired", function* () {
        const { count, get, models, write } = yield* given
        yield* write(
          setFields("jobs", "j1", { state: "done" }),
          addMember("done", "j1", 1),
          addMember("done", "j2", 2)
        )
        const expired = {
          after: at(1),
          upTo: at(1),
          writes: [deleteRow("jobs", "j1"), removeMember("done", "j1")]
        }
        for (const _ of [1, 2]) {
          assert.deepStrictEqual(yield* models.apply(model, expired), at(1))
          assert.isUndefined(yield* get("jobs", "j1"))
          assert.strictEqual(yield* count("done"), 1)
        }
        assert.deepStrictEqual(yield* models.checkpoint(model), at(1))
      })

      test("refuse a batch that would leave a gap", function* () {
        const models = yield* ReadModels
        const batch = { after: at(5), upTo: at(6), writes: [addMember("due", "j1", 1)] }
        assert.deepStrictEqual(yield* models.apply(model, batch), beginning)
        assert.strictEqual(yield* models.count(model, "due"), 0)
        assert.deepStrictEqual(yield* models.checkpoint(model), beginning)
      })

      test("count both numbers of a position and hold the largest of them", function* () {
        const models = yield* ReadModels
        const large = { commit: 2n ** 63n - 1n, prepare: 2n ** 62n }
        yield* models.apply(model, { after: beginning, upTo: large, writes: [] })
        const other = { ...large, prepare: large.prepare - 1n }
        assert.deepStrictEqual(yield* models.apply(model, { after: other, upTo: at(1), writes: [] }), large)
        assert.deepStrictEqual(yield* models.checkpoint(model), large)
      })

      test("let exactly one of many projectors apply a batch", function* () {
        const models = yield* ReadModels
        const results = yield* Effect.forEach(
          Array.from({ length: 20 }, (_, index) => index + 1),
          (n) => models.apply(model, { after: beginning, upTo: at(n), writes: [addMember("due", `j${n}`, n)] }),
          { concurrency: "unbounded" }
        )
        const current = yield* models.checkpoint(model)
        assert.isTrue(results.every((result) => result.commit === current.commit))
        assert.deepStrictEqual(yield* models.members(model, "due"), [
          of(`j${current.commit}`, Number(current.commit))
        ])
      })
    })

    describe("waiting for a position", () => {
      test("ends as soon as the position is reached", function* () {
        const models = yield* ReadModels
        yield* models.awaitPosition(model, beginning, 0)
        const waiter = yield* Effect.forkChild(models.awaitPosition(model, at(2), 10_000))
        yield* Effect.yieldNow
        yield* models.apply(model, { after: beginning, upTo: at(1), writes: [] })
        yield* models.apply("other", { after: beginning, upTo: at(9), writes: [] })
        assert.isUndefined(waiter.pollUnsafe())
        yield* models.apply(model, { after: at(1), upTo: at(3), writes: [] })
        yield* untilDone(waiter)
        yield* Fiber.join(waiter)
        yield* models.awaitPosition(model, at(3), 0)
      })

      test("fails with `behind` when the time limit ends", function* () {
        const models = yield* ReadModels
        yield* models.apply(model, { after: beginning, upTo: at(1), writes: [] })
        const waiter = yield* Effect.forkChild(Effect.flip(models.awaitPosition(model, at(2), 500)))
        yield* TestClock.adjust(499)
        assert.isUndefined(waiter.pollUnsafe())
        yield* untilDone(waiter)
        assert.propertyVal(yield* Fiber.join(waiter), "reason", "behind")
      })
    })

    wholeModelsContract(test, options)

    it.effect.prop(
      "equal a naive model after any writes, in batches of any size",
      [Schema.Array(WriteShape), Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })))],
      ([writes, sizes]) =>
        Effect.gen(function* () {
          const models = yield* ReadModels
          const naive = naiveModel(writes)
          let checkpoint = beginning
          const remaining = [...writes]
          for (const size of [...sizes, writes.length]) {
            const upTo = at(checkpoint.commit + 1n)
            checkpoint = yield* models.apply(model, { after: checkpoint, upTo, writes: remaining.splice(0, size) })
          }
          assert.deepStrictEqual(yield* models.dump(model), { checkpoint, lines: naiveDump(naive) })
          for (const [set, members] of naive.sets) assert.strictEqual(yield* models.count(model, set), members.size)
        }).pipe(Effect.provide(layer())),
      { arbitrary: { runs: runs(30) } }
    )
  })
}

const Name = Schema.Literals(["a", "b"])
const Value = Schema.NullOr(Schema.Literals([1, "x"]))
const Amount = Schema.Literals([1, 5, -3])
const WriteShape = Schema.Union([
  Schema.TaggedStruct("SetFields", {
    table: Name,
    key: Name,
    fields: Schema.Struct({ f: Schema.optionalKey(Value), g: Schema.optionalKey(Value), h: Schema.optionalKey(Value) })
  }),
  Schema.TaggedStruct("AddToFields", {
    table: Name,
    key: Name,
    amounts: Schema.Struct({ f: Schema.optionalKey(Amount), g: Schema.optionalKey(Amount) })
  }),
  Schema.TaggedStruct("DeleteRow", { table: Name, key: Name }),
  Schema.TaggedStruct("AddMember", { set: Name, member: Name, score: Schema.Literals([-1, 0, 2.5]) }),
  Schema.TaggedStruct("RemoveMember", { set: Name, member: Name }),
  ...fixedMembers
])
