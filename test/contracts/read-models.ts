import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, type Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { beginning, type JsonObject } from "../../domain/events/recorded-event.ts"
import { type Member, ReadModels, type Write } from "../../ports/read-models.ts"
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
  const test = (title: string, body: Effect.Effect<void, unknown, ReadModels | R>) =>
    it.effect(title, () => Effect.provide(body, layer()))

  describe(`ReadModels on ${engine}`, () => {
    describe("an empty model", () => {
      test(
        "has its checkpoint at the beginning and no rows, members or dump",
        Effect.gen(function* () {
          const models = yield* ReadModels
          assert.deepStrictEqual(yield* models.checkpoint(model), beginning)
          assert.isUndefined(yield* models.get(model, "jobs", "j1"))
          assert.strictEqual(yield* models.count(model, "due"), 0)
          assert.deepStrictEqual(yield* models.has(model, [{ set: "due", member: "j1" }]), [false])
          assert.deepStrictEqual(yield* models.members(model, "due"), [])
          assert.deepStrictEqual(yield* models.dump(model), { checkpoint: beginning, lines: [] })
        })
      )
    })

    describe("rows", () => {
      test(
        "keep the fields that a write does not name",
        Effect.gen(function* () {
          const { get, write } = yield* given
          yield* write(setFields("jobs", "j1", { state: "pending", attempts: 1 }))
          yield* write(setFields("jobs", "j1", { state: "done" }))
          assert.deepStrictEqual(yield* get("jobs", "j1"), { state: "done", attempts: 1 })
        })
      )

      test(
        "keep null as a value and replace a nested value as a whole",
        Effect.gen(function* () {
          const { get, write } = yield* given
          yield* write(setFields("jobs", "j1", { quota: 5, limits: { day: 1, month: 2 } }))
          yield* write(setFields("jobs", "j1", { quota: null, limits: { day: 3 } }))
          assert.deepStrictEqual(yield* get("jobs", "j1"), { quota: null, limits: { day: 3 } })
        })
      )

      test(
        "keep any JSON value",
        Effect.gen(function* () {
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
      )

      test(
        "start empty after they were deleted, within a batch and across batches",
        Effect.gen(function* () {
          const { get, write } = yield* given
          yield* write(setFields("jobs", "j1", { a: 1 }), deleteRow("jobs", "j1"), setFields("jobs", "j1", { b: 2 }))
          assert.deepStrictEqual(yield* get("jobs", "j1"), { b: 2 })
          yield* write(deleteRow("jobs", "j1"))
          assert.isUndefined(yield* get("jobs", "j1"))
          yield* write(deleteRow("jobs", "j1"), setFields("jobs", "j1", {}))
          assert.deepStrictEqual(yield* get("jobs", "j1"), {})
        })
      )
    })

    describe("counters", () => {
      test(
        "add up within a batch and across batches, from 0",
        Effect.gen(function* () {
          const { get, write } = yield* given
          yield* write(
            addToFields("hours", "h1", { verified: 2 }),
            addToFields("hours", "h1", { verified: 1, failed: 1 })
          )
          yield* write(addToFields("hours", "h1", { verified: 1 }), addToFields("hours", "h2", {}))
          assert.deepStrictEqual(yield* get("hours", "h1"), { verified: 4, failed: 1 })
          assert.deepStrictEqual(yield* get("hours", "h2"), {})
        })
      )

      test(
        "count large numbers exactly",
        Effect.gen(function* () {
          const { get, write } = yield* given
          yield* write(addToFields("hours", "h1", { satang: 9_007_199_254_740_000 }))
          yield* write(addToFields("hours", "h1", { satang: 991 }))
          assert.deepStrictEqual(yield* get("hours", "h1"), { satang: Number.MAX_SAFE_INTEGER })
        })
      )

      test(
        "keep the order with other writes to the row",
        Effect.gen(function* () {
          const { get, write } = yield* given
          const add = addToFields("hours", "h1", { a: 1, b: 1 })
          yield* write(add, setFields("hours", "h1", { a: 10 }), add)
          assert.deepStrictEqual(yield* get("hours", "h1"), { a: 11, b: 2 })
          yield* write(add, deleteRow("hours", "h1"), add)
          assert.deepStrictEqual(yield* get("hours", "h1"), { a: 1, b: 1 })
          yield* write(setFields("hours", "h1", { a: "text", b: null }), add)
          assert.deepStrictEqual(yield* get("hours", "h1"), { a: 1, b: 1 })
        })
      )

      test(
        "are counted once when a batch is applied twice",
        Effect.gen(function* () {
          const { get, models } = yield* given
          const batch = { after: beginning, upTo: at(1), writes: [addToFields("hours", "h1", { verified: 1 })] }
          yield* models.apply(model, batch)
          assert.deepStrictEqual(yield* models.apply(model, batch), at(1))
          assert.deepStrictEqual(yield* get("hours", "h1"), { verified: 1 })
        })
      )
    })

    describe("sets", () => {
      test(
        "count a member once",
        Effect.gen(function* () {
          const { count, has, write } = yield* given
          yield* write(addMember("due", "j1", 1), addMember("due", "j1", 1), addMember("due", "j2", 1))
          yield* write(addMember("due", "j1", 7))
          assert.strictEqual(yield* count("due"), 2)
          yield* write(removeMember("due", "j1"), removeMember("due", "j1"), removeMember("due", "never there"))
          assert.strictEqual(yield* count("due"), 1)
          const members = [{ set: "due", member: "j1" }, { set: "due", member: "j2" }, { set: "none", member: "j2" }]
          assert.deepStrictEqual(yield* has(...members), [false, true, false])
          assert.deepStrictEqual(yield* has(), [])
        })
      )

      test(
        "count the members within bounds of the score, both included",
        Effect.gen(function* () {
          const { count, write } = yield* given
          yield* write(...[1, 2, 2.5, 3].map((score) => addMember("due", `m${score}`, score)), addMember("all", "a", 2))
          assert.strictEqual(yield* count("due", { from: 2, to: 3 }), 3)
          assert.strictEqual(yield* count("due", { from: 2.1, to: 2.9 }), 1)
          assert.strictEqual(yield* count("due", { from: 2.5 }), 2)
          assert.strictEqual(yield* count("due", { to: 1 }), 1)
          assert.strictEqual(yield* count("due", {}), 4)
          assert.strictEqual(yield* count("due", { from: 4, to: 9 }), 0)
          assert.strictEqual(yield* count("due", { from: 3, to: 2 }), 0)
          assert.strictEqual(yield* count("nothing", { from: 0 }), 0)
          yield* write(removeMember("due", "m2"))
          assert.strictEqual(yield* count("due", { from: 2, to: 3 }), 2)
        })
      )

      test(
        "are ordered by score, then by the UTF-8 bytes of the name",
        Effect.gen(function* () {
          const { members, write } = yield* given
          const sorted = [of("z", -1.5), of("b", 0), of("10", 2), of("9", 2), of("a", 2), of("\uffff", 2), of("𐀀", 2)]
          yield* write(...sorted.toReversed().map(({ member, score }) => addMember("due", member, score)))
          assert.deepStrictEqual(yield* members("due"), sorted)
        })
      )

      test(
        "move a member that gets another score",
        Effect.gen(function* () {
          const { members, write } = yield* given
          yield* write(addMember("due", "a", 1), addMember("due", "b", 2))
          yield* write(addMember("due", "a", 3))
          assert.deepStrictEqual(yield* members("due"), [of("b", 2), of("a", 3)])
        })
      )

      test(
        "are read within bounds of the score, both included",
        Effect.gen(function* () {
          const { members, write } = yield* given
          yield* write(...[1, 2, 3, 4].map((score) => addMember("due", `m${score}`, score)))
          assert.deepStrictEqual(yield* members("due", { from: 2, to: 3 }), [of("m2", 2), of("m3", 3)])
          assert.deepStrictEqual(yield* members("due", { to: 1.5 }), [of("m1", 1)])
          assert.deepStrictEqual(yield* members("due", { from: 2.5, limit: 1 }), [of("m3", 3)])
          assert.deepStrictEqual(yield* members("due", { from: 3, after: of("m1", 1) }), [of("m3", 3), of("m4", 4)])

          const reverse = true
          assert.deepStrictEqual(yield* members("due", { from: 2, to: 3, reverse }), [of("m3", 3), of("m2", 2)])
          assert.deepStrictEqual(yield* members("due", { to: 2.5, limit: 1, reverse }), [of("m2", 2)])
          assert.deepStrictEqual(yield* members("due", { to: 2, after: of("m4", 4), reverse }), [
            of("m2", 2),
            of("m1", 1)
          ])
        })
      )

      test(
        "are read in pages without gaps and repetitions",
        Effect.gen(function* () {
          const { members, write } = yield* given
          const all = Array.from({ length: 23 }, (_, index) => of(`m${index % 7}-${index}`, index % 3))
          yield* write(...all.map(({ member, score }) => addMember("due", member, score)))
          const paged = Effect.fnUntraced(function* (reverse: boolean) {
            const found: Array<Member> = []
            for (let page = yield* members("due", { limit: 4, reverse }); page.length > 0;) {
              found.push(...page)
              const after = page.at(-1)
              page = after === undefined ? [] : yield* members("due", { limit: 4, after, reverse })
            }
            return found
          })
          const forward = yield* members("due")
          assert.deepStrictEqual(yield* paged(false), Array.from(forward))
          assert.deepStrictEqual(yield* paged(true), [...forward].reverse())
          assert.strictEqual(forward.length, all.length)
        })
      )

      test(
        "with fixed scores keep each member once, and remove it by its score",
        Effect.gen(function* () {
          const { count, members, models, write } = yield* given
          const set = "log"
          const add = (member: string, score: number): Write => ({
            _tag: "AddMember",
            set,
            member,
            score,
            isFixed: true
          })
          const remove = (member: string, fixedScore: number): Write => ({
            _tag: "RemoveMember",
            set,
            member,
            fixedScore
          })
          yield* write(add("a", 1), add("a", 1), add("b", 2))
          yield* write(add("b", 2), add("c", 3), remove("d", 4))
          assert.deepStrictEqual(yield* members(set), [of("a", 1), of("b", 2), of("c", 3)])
          assert.strictEqual(yield* count(set), 3)
          yield* write(remove("a", 1), remove("a", 1), remove("c", 3), add("c", 3))
          assert.deepStrictEqual(yield* members(set, { reverse: true }), [of("c", 3), of("b", 2)])
          assert.strictEqual(yield* count(set), 2)
          assert.strictEqual(yield* count(set, { from: 3 }), 1)
          assert.lengthOf((yield* models.dump(model)).lines, 2)
        })
      )

      test(
        "are continued after a member that was removed in the meantime",
        Effect.gen(function* () {
          const { members, write } = yield* given
          yield* write(addMember("due", "a", 1), addMember("due", "b", 1), addMember("due", "c", 1))
          yield* write(removeMember("due", "b"))
          assert.deepStrictEqual(yield* members("due", { after: of("b", 1) }), [of("c", 1)])
          assert.deepStrictEqual(yield* members("due", { after: of("b", 1), reverse: true }), [of("a", 1)])
        })
      )

      test(
        "with one score are found by a prefix of their names, in the order of bytes",
        Effect.gen(function* () {
          const { members, write } = yield* given
          const names = ["a x", "a y", "a-1 x", "A x", "a", "a. x", "_ x", "b x"]
          yield* write(...names.map((name) => addMember("names", name, 0)))
          assert.deepStrictEqual(yield* members("names", { after: of("a ", 0), limit: 2 }), [
            of("a x", 0),
            of("a y", 0)
          ])
          assert.deepStrictEqual(yield* members("names", { after: of("A ", 0), limit: 1 }), [of("A x", 0)])
          assert.deepStrictEqual(yield* members("names", { after: of("b y", 0) }), [])
        })
      )
    })

    describe("checkpoints", () => {
      test(
        "move with a batch, also with one that writes nothing",
        Effect.gen(function* () {
          const models = yield* ReadModels
          assert.deepStrictEqual(yield* models.apply(model, { after: beginning, upTo: at(3), writes: [] }), at(3))
          assert.deepStrictEqual(yield* models.checkpoint(model), at(3))
        })
      )

      test(
        "make a repeated batch change nothing",
        Effect.gen(function* () {
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
      )

      test(
        "stay where they are with a batch that only removes what has expired",
        Effect.gen(function* () {
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
      )

      test(
        "refuse a batch that would leave a gap",
        Effect.gen(function* () {
          const models = yield* ReadModels
          const batch = { after: at(5), upTo: at(6), writes: [addMember("due", "j1", 1)] }
          assert.deepStrictEqual(yield* models.apply(model, batch), beginning)
          assert.strictEqual(yield* models.count(model, "due"), 0)
          assert.deepStrictEqual(yield* models.checkpoint(model), beginning)
        })
      )

      test(
        "count both numbers of a position and hold the largest of them",
        Effect.gen(function* () {
          const models = yield* ReadModels
          const large = { commit: 2n ** 63n - 1n, prepare: 2n ** 62n }
          yield* models.apply(model, { after: beginning, upTo: large, writes: [] })
          const other = { ...large, prepare: large.prepare - 1n }
          assert.deepStrictEqual(yield* models.apply(model, { after: other, upTo: at(1), writes: [] }), large)
          assert.deepStrictEqual(yield* models.checkpoint(model), large)
        })
      )

      test(
        "let exactly one of many projectors apply a batch",
        Effect.gen(function* () {
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
      )
    })

    describe("waiting for a position", () => {
      test(
        "ends as soon as the position is reached",
        Effect.gen(function* () {
          const models = yield* ReadModels
          yield* models.awaitPosition(model, beginning, 0)
          const waiter = yield* Effect.forkChild(models.awaitPosition(model, at(2), 10_000))
          yield* Effect.yieldNow
          yield* models.apply(model, { after: beginning, upTo: at(1), writes: [] })
          yield* models.apply("other", { after: beginning, upTo: at(9), writes: [] })
          yield* models.apply(model, { after: at(1), upTo: at(3), writes: [] })
          yield* untilDone(waiter)
          yield* Fiber.join(waiter)
          yield* models.awaitPosition(model, at(3), 0)
        })
      )

      test(
        "fails with `behind` when the time limit ends",
        Effect.gen(function* () {
          const models = yield* ReadModels
          yield* models.apply(model, { after: beginning, upTo: at(1), writes: [] })
          const waiter = yield* Effect.forkChild(Effect.flip(models.awaitPosition(model, at(2), 500)))
          yield* TestClock.adjust(499)
          assert.isUndefined(waiter.pollUnsafe())
          yield* untilDone(waiter)
          assert.propertyVal(yield* Fiber.join(waiter), "reason", "behind")
        })
      )
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
