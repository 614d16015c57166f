import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer } from "effect"
import { layerNewSlipGuess, NewSlipGuess, type SlipStream } from "../../../application/verification/new-slip-guess.ts"
import { ReadModels, ReadModelsError } from "../../../ports/read-models.ts"
import { StreamMarks } from "../../../ports/stream-marks.ts"

/** The guess over a model that the test fills. */
const given = Effect.gen(function* () {
  const model = {
    streams: new Set<string>(),
    /** The marks of all processes. */
    marks: new Set<string>(),
    /** The streams of each question that the model received. */
    questions: [] as Array<ReadonlyArray<string>>,
    before: Effect.void as Effect.Effect<void, ReadModelsError>
  }
  const models = Layer.mock(ReadModels, {
    has: (_, members) =>
      Effect.suspend(() => {
        const streams = members.map(({ member }) => `slip-${member.split(" ").reverse().join("-")}`)
        model.questions.push(streams)
        return Effect.as(model.before, streams.map((stream) => model.streams.has(stream)))
      })
  })
  const marks = Layer.mock(StreamMarks, {
    mark: (streams) =>
      Effect.sync(() =>
        streams.map((stream) => {
          const isFirst = !model.marks.has(stream)
          model.marks.add(stream)
          return isFirst
        })
      )
  })
  const built = yield* Layer.build(
    Layer.fresh(layerNewSlipGuess).pipe(Layer.provide(Layer.mergeAll(models, marks)))
  )
  const guess = Context.get(built, NewSlipGuess)
  return { guess, model }
})

const slip = (name: string, at = 0): SlipStream => ({ stream: `slip-shop-${name}`, digest: name, at })

/** Lets the other fibers run until the condition holds. */
const until = (condition: Effect.Effect<boolean>) =>
  Effect.repeat(Effect.tap(condition, () => Effect.yieldNow), { until: (holds) => holds, times: 100 })

const behind = Effect.fail(new ReadModelsError({ operation: "has", reason: "behind" }))

describe("the guess that a slip is new", () => {
  it.effect("follows the read model", () =>
    Effect.gen(function* () {
      const { guess, model } = yield* given
      model.streams.add("slip-shop-known")
      assert.isFalse(yield* guess.isProbablyNew(slip("known")))
      assert.isTrue(yield* guess.isProbablyNew(slip("new")))
    }))

  it.effect("asks about all slips at once that arrive during a question", () =>
    Effect.gen(function* () {
      const { guess, model } = yield* given
      const gate = yield* Deferred.make<void>()
      model.before = Deferred.await(gate)
      model.streams.add("slip-shop-c")
      const answers = yield* Effect.forEach(
        ["a", "b", "c"],
        (name, index) =>
          Effect.andThen(
            index === 2 ? Effect.andThen(Effect.yieldNow, Deferred.succeed(gate, undefined)) : Effect.void,
            guess.isProbablyNew(slip(name))
          ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers, [true, true, false])
      assert.isAtMost(model.questions.length, 2)
      assert.deepStrictEqual(model.questions.flat(), ["slip-shop-a", "slip-shop-b", "slip-shop-c"])
    }))

  it.effect("takes a slip for new only once, though the model lacks it, among all processes", () =>
    Effect.gen(function* () {
      const { guess, model } = yield* given
      assert.isTrue(yield* guess.isProbablyNew(slip("again")))
      assert.isFalse(yield* guess.isProbablyNew(slip("again")))
      model.marks.add("slip-shop-elsewhere")
      assert.isFalse(yield* guess.isProbablyNew(slip("elsewhere")))
    }))

  it.effect("stops while the model lacks an event of this process for more than a second", () =>
    Effect.gen(function* () {
      const { guess, model } = yield* given
      guess.hasEvents(slip("own", 0))
      assert.isTrue(yield* guess.isProbablyNew(slip("a", 999)))
      assert.isFalse(yield* guess.isProbablyNew(slip("b", 1_000)))
      assert.isFalse(yield* guess.isProbablyNew(slip("c", 1_999)))

      model.streams.add("slip-shop-own")
      // The next question of the second restores the trust, and no request waits for it.
      assert.isFalse(yield* guess.isProbablyNew(slip("d", 2_000)))
      yield* until(guess.isProbablyNew(slip("e", 2_001)))
      assert.deepStrictEqual(model.questions.map(({ length }) => length), [1, 2, 2, 1])
    }))

  it.effect("stops while the model fails, and asks once a second without a request that waits", () =>
    Effect.gen(function* () {
      const { guess, model } = yield* given
      model.before = behind
      assert.isFalse(yield* guess.isProbablyNew(slip("a", 0)))
      model.before = Effect.never
      assert.isFalse(yield* guess.isProbablyNew(slip("b", 500)))
      assert.isFalse(yield* guess.isProbablyNew(slip("c", 1_000)))
      assert.isFalse(yield* guess.isProbablyNew(slip("d", 1_500)))
      yield* until(Effect.sync(() => model.questions.length >= 2))
      assert.deepStrictEqual(model.questions, [["slip-shop-a"], ["slip-shop-c"]])
    }))
})
