import { assert, type Body, describe } from "../support/it.ts"
import { Effect, Fiber } from "effect"
import { shadowName } from "../../projections/engine/model-name.ts"
import { beginning, type Position } from "../../domain/events/recorded-event.ts"
import { ReadModels, type ReadModelsError, type Write } from "../../ports/read-models.ts"
import { untilDone } from "../support/advance-clock.ts"
import { addMember, at, given, model, of, setFields } from "./read-models-given.ts"

export interface LossOptions<R> {
  /** Makes the engine lose all that it holds while it is in use, as when the disk or the server of it is replaced. */
  readonly lose: Effect.Effect<void, unknown, ReadModels | R>
}

/** The part of the ReadModels test suite about models as wholes: cleared, put in place, lost, dumped. */
export const wholeModelsContract = <R>(
  test: (title: string, body: Body<ReadModels | R, []>) => void,
  { lose }: LossOptions<R>
): void => {
  describe("models", () => {
    test("are independent, for any names", function* () {
      const models = yield* ReadModels
      yield* apply("m", at(1), [addMember("a:b", "x", 1), setFields("t:u", "k", {})])
      yield* apply("m:a", at(2), [addMember("b", "y", 1), setFields("u", "k", { n: 1 })])
      assert.deepStrictEqual(yield* models.members("m", "a:b"), [of("x", 1)])
      assert.deepStrictEqual(yield* models.members("m:a", "b"), [of("y", 1)])
      assert.deepStrictEqual(yield* models.get("m", "t:u", "k"), {})
      assert.isUndefined(yield* models.get("m", "t", "u:k"))
      assert.deepStrictEqual(yield* models.checkpoint("m"), at(1))
    })

    test("are cleared one by one, with their checkpoint", function* () {
      const models = yield* ReadModels
      yield* apply(model, at(1), small)
      yield* apply("other", at(1), small)
      yield* models.clear(model, beginning)
      assert.deepStrictEqual(yield* models.checkpoint(model), beginning)
      assert.deepStrictEqual(yield* models.dump(model), { checkpoint: beginning, lines: [] })
      assert.strictEqual(yield* models.count(model, "due"), 0)
      assert.strictEqual((yield* models.dump("other")).lines.length, 2)
      yield* apply(model, at(1), small)
      assert.deepStrictEqual(yield* models.dump(model), yield* models.dump("other"))
    })

    test("are not readable until they have reached a required position", function* () {
      const models = yield* ReadModels
      yield* apply(model, at(1), small)
      yield* models.require(model, at(1))
      assert.strictEqual(yield* models.count(model, "due"), 1)
      yield* models.require(model, at(3))
      yield* models.require(model, at(2))
      yield* assertBehind
      yield* apply(model, at(2), [])
      yield* assertBehind
      yield* apply(model, at(3), [])
      assert.strictEqual(yield* models.count(model, "due"), 1)
      assert.strictEqual(yield* models.count("other", "due"), 0, "another model has its own mark")
    })

    test("are awaited until they have reached their high-water mark", function* () {
      const models = yield* ReadModels
      yield* models.awaitComplete(model, 0)
      yield* models.require(model, at(2))
      const early = yield* Effect.forkChild(Effect.flip(models.awaitComplete(model, 1_000)))
      yield* untilDone(early)
      assert.propertyVal(yield* Fiber.join(early), "reason", "behind")

      const waiting = yield* Effect.forkChild(models.awaitComplete(model, 60_000))
      yield* apply(model, at(1), [])
      yield* Effect.yieldNow
      assert.isUndefined(waiting.pollUnsafe())
      yield* apply(model, at(2), small)
      yield* untilDone(waiting)
      yield* Fiber.join(waiting)
      yield* models.awaitComplete(model, 0)
    })

    test("are not readable after they were cleared until they have reached their high-water mark", function* () {
      const models = yield* ReadModels
      yield* apply(model, at(4), small)
      yield* models.clear(model, at(3))
      yield* assertBehind
      yield* apply(model, at(2), small)
      yield* assertBehind
      yield* apply(model, at(3), [])
      assert.strictEqual(yield* models.count(model, "due"), 1)
      assert.deepStrictEqual(yield* models.get(model, "jobs", "j1"), { state: "done" })
    })

    test("are dumped as sorted lines of canonical JSON, with the checkpoint apart from them", function* () {
      const { models, write } = yield* given
      yield* write(addMember("due", "j1", 2.5), setFields("jobs", "j2", { z: 1, a: { y: null, b: [1, "ก"] } }))
      yield* write(setFields("jobs", "j1", {}))
      assert.deepStrictEqual(yield* models.dump(model), {
        checkpoint: at(2),
        lines: [
          '{"fields":{"a":{"b":[1,"ก"],"y":null},"z":1},"key":"j2","table":"jobs"}',
          '{"fields":{},"key":"j1","table":"jobs"}',
          '{"member":"j1","score":2.5,"set":"due"}'
        ]
      })
    })

    test("are dumped as of one moment during writes", function* () {
      const models = yield* ReadModels
      const writer = yield* Effect.forkChild(Effect.forEach(
        Array.from({ length: 60 }, (_, index) => index + 1),
        (place) => apply(model, at(place), [addMember("due", `j${place}`, place), setFields("jobs", "last", { place })])
      ))
      for (let dumps = 0; dumps < 10; dumps++) {
        const { checkpoint, lines } = yield* models.dump(model)
        const place = Number(checkpoint.commit)
        assert.lengthOf(lines, place === 0 ? 0 : place + 1)
        if (place > 0) assert.include(lines[0], `{"place":${place}}`)
        yield* Effect.yieldNow
      }
      yield* untilDone(writer)
      yield* Fiber.join(writer)
    })
  })

  describe("the shadow of a model", () => {
    test("is not visible to readers of the model", function* () {
      const models = yield* ReadModels
      yield* apply(model, at(1), small)
      const before = yield* models.dump(model)
      yield* apply(beside, at(2), [addMember("due", "j2", 2), setFields("jobs", "j1", { state: "anew" })])
      assert.deepStrictEqual(yield* models.dump(model), before)
      assert.deepStrictEqual(yield* models.get(model, "jobs", "j1"), { state: "done" })
      assert.strictEqual(yield* models.count(model, "due"), 1)
      assert.strictEqual(yield* models.count(beside, "due"), 1)
      assert.deepStrictEqual(yield* models.checkpoint(model), at(1))
    })

    test("replaces the model with its checkpoint, and leaves no rest", function* () {
      const models = yield* ReadModels
      yield* apply(model, at(1), [...small, addMember("old", "j1", 1), setFields("old", "k", {})])
      yield* apply(beside, at(3), [addMember("due", "j2", 2), setFields("jobs", "j1", { state: "anew" })])
      const built = yield* models.dump(beside)
      assert.isTrue(yield* models.promote(model))
      assert.deepStrictEqual(yield* models.dump(model), built)
      assert.deepStrictEqual(built.checkpoint, at(3))
      assert.strictEqual(yield* models.count(model, "due"), 1)
      assert.isUndefined(yield* models.get(model, "old", "k"))
      assert.deepStrictEqual(yield* models.dump(beside), { checkpoint: beginning, lines: [] })
      assert.strictEqual(yield* models.count(beside, "due"), 0)
    })

    test("is written in place, and can be built again from the start", function* () {
      const models = yield* ReadModels
      for (const place of [2, 4, 6]) {
        yield* apply(beside, at(place), [addMember("due", `j${place}`, place)])
        assert.isTrue(yield* models.promote(model))
        yield* apply(model, at(place + 1), [addMember("due", "on", place)])
        assert.deepStrictEqual(yield* models.members(model, "due"), [of(`j${place}`, place), of("on", place)])
      }
    })

    test("does not replace the model while it is behind", function* () {
      const models = yield* ReadModels
      yield* apply(model, { commit: 5n, prepare: 5n }, small)
      yield* apply(beside, { commit: 5n, prepare: 4n }, [addMember("due", "j2", 2)])
      const before = [yield* models.dump(model), yield* models.dump(beside)]
      assert.isFalse(yield* models.promote(model))
      assert.deepStrictEqual([yield* models.dump(model), yield* models.dump(beside)], before)
    })

    test("does not take the place of an empty model while a restore fills it", function* () {
      const models = yield* ReadModels
      yield* apply(beside, { commit: 0n, prepare: 7n }, [addMember("due", "j2", 2)])
      assert.isFalse(yield* models.promote(model))
      assert.deepStrictEqual(yield* models.dump(model), { checkpoint: beginning, lines: [] })
      yield* models.apply(beside, { after: { commit: 0n, prepare: 7n }, upTo: at(5), writes: [] })
      assert.isTrue(yield* models.promote(model))
      assert.deepStrictEqual(yield* models.members(model, "due"), [of("j2", 2)])
    })

    test("replaces a model with the same position", function* () {
      const models = yield* ReadModels
      yield* apply(model, at(5), small)
      yield* apply(beside, at(5), [addMember("due", "j2", 2)])
      assert.isTrue(yield* models.promote(model))
      assert.deepStrictEqual(yield* models.members(model, "due"), [of("j2", 2)])
    })

    test("wakes waiters for its position when it replaces the model", function* () {
      const models = yield* ReadModels
      yield* apply(beside, at(3), [])
      const waiter = yield* Effect.forkChild(models.awaitPosition(model, at(3), 10_000))
      yield* Effect.yieldNow
      yield* models.promote(model)
      yield* untilDone(waiter)
      yield* Fiber.join(waiter)
    })

    test("replaces the model between two dumps", function* () {
      const models = yield* ReadModels
      yield* apply(model, at(1), manyMembers("old"))
      yield* apply(beside, at(2), manyMembers("new"))
      const either = [yield* models.dump(model), yield* models.dump(beside)]
      const [dumps] = yield* Effect.all([
        Effect.forEach(Array.from({ length: 8 }), () => models.dump(model), { concurrency: 3 }),
        Effect.andThen(Effect.yieldNow, models.promote(model))
      ], { concurrency: "unbounded" })
      for (const dump of dumps) assert.deepInclude(either, dump)
    })
  })

  describe("a model that was lost", () => {
    test("is not readable before it has reached its high-water mark", function* () {
      const models = yield* ReadModels
      yield* apply(model, at(2), small)
      yield* lose
      yield* assertBehind
      assert.deepStrictEqual(yield* models.checkpoint(model), beginning)
      yield* apply(model, at(1), small)
      yield* assertBehind
      yield* apply(model, at(2), [])
      assert.strictEqual(yield* models.count(model, "due"), 1)
      assert.deepStrictEqual(yield* models.has(model, [{ set: "due", member: "j1" }]), [true])
      assert.deepStrictEqual(yield* models.members(model, "due"), [of("j1", 1)])
      assert.deepStrictEqual(yield* models.get(model, "jobs", "j1"), { state: "done" })
    })

    test("is readable at once when it is replaced by its shadow", function* () {
      const models = yield* ReadModels
      yield* apply(model, at(2), small)
      yield* lose
      yield* apply(beside, at(3), small)
      yield* assertBehind
      assert.isTrue(yield* models.promote(model))
      assert.strictEqual(yield* models.count(model, "due"), 1)
    })

    test("does not affect models without a high-water mark", function* () {
      const models = yield* ReadModels
      yield* apply(model, at(2), small)
      yield* lose
      assert.strictEqual(yield* models.count("other", "due"), 0)
      yield* apply("other", at(1), small)
      assert.strictEqual(yield* models.count("other", "due"), 1)
    })

    test("is readable again at once when it is cleared with its high-water mark", function* () {
      const models = yield* ReadModels
      yield* apply(model, at(2), small)
      yield* lose
      yield* models.clear(model, beginning)
      assert.strictEqual(yield* models.count(model, "due"), 0)
    })
  })
}

const beside = shadowName(model)
const small = [addMember("due", "j1", 1), setFields("jobs", "j1", { state: "done" })]
const manyMembers = (prefix: string) =>
  Array.from({ length: 500 }, (_, index) => addMember("due", prefix + index, index))

/** Does the projector's part: the next batch of a model. */
const apply = (model: string, upTo: Position, writes: ReadonlyArray<Write>) =>
  Effect.gen(function* () {
    const models = yield* ReadModels
    const after = yield* models.checkpoint(model)
    assert.deepStrictEqual(yield* models.apply(model, { after, upTo, writes }), upTo)
  })

const assertBehind = Effect.gen(function* () {
  const models = yield* ReadModels
  const reads: ReadonlyArray<Effect.Effect<unknown, ReadModelsError>> = [
    models.get(model, "jobs", "j1"),
    models.count(model, "due"),
    models.has(model, [{ set: "due", member: "j1" }]),
    models.members(model, "due")
  ]
  for (const read of reads) assert.propertyVal(yield* Effect.flip(read), "reason", "behind")
})
