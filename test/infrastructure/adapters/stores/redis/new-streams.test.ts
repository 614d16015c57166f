import { assert, describe, it } from "../../../../support/it.ts"
import { Deferred, Effect, Layer } from "effect"
import { makeNewStreams } from "../../../../../infrastructure/adapters/stores/redis/new-streams.ts"
import type { SlipStream } from "../../../../../ports/new-streams.ts"
import { ReadModels, ReadModelsError } from "../../../../../ports/read-models.ts"

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
  const mark = (streams: ReadonlyArray<string>) =>
    Effect.sync(() =>
      streams.map((stream) => {
        const isFirst = !model.marks.has(stream)
        model.marks.add(stream)
        return isFirst
      })
    )
  const guess = yield* Effect.provide(makeNewStreams(mark), models)
  return { guess, model }
})

const slip = (name: string, at = 0): SlipStream => ({ stream: `slip-shop-${name}`, digest: name, at })

/** Lets the other fibers run until the condition holds. */
const until = (condition: Effect.Effect<boolean>) =>
  Effect.repeat(Effect.tap(condition, () => Effect.yieldNow), { until: (holds) => holds, times: 100 })

const behind = Effect.fail(new ReadModelsError({ operation: "has", reason: "behind" }))

describe("the guess that a slip is new", () => {
  it.effect("follows the read model", function* () {
    const { guess, model } = yield* given
    model.streams.add("slip-shop-known")
    assert.strictEqual(yield* guess.of(slip("known")), "known")
    assert.strictEqual(yield* guess.of(slip("new")), "probably-new")
  })

  it.effect("asks about all slips at once that arrive during a question", function* () {
    const { guess, model } = yield* given
    const gate = yield* Deferred.make<void>()
    model.before = Deferred.await(gate)
    model.streams.add("slip-shop-c")
    const answers = yield* Effect.forEach(
      ["a", "b", "c"],
      (name, index) =>
        Effect.andThen(
          index === 2 ? Effect.andThen(Effect.yieldNow, Deferred.succeed(gate, undefined)) : Effect.void,
          guess.of(slip(name))
        ),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(answers, ["probably-new", "probably-new", "known"])
    assert.isAtMost(model.questions.length, 2)
    assert.deepStrictEqual(model.questions.flat(), ["slip-shop-a", "slip-shop-b", "slip-shop-c"])
  })

  it.effect("takes a slip for new only once, though the model lacks it, among all processes", function* () {
    const { guess, model } = yield* given
    assert.strictEqual(yield* guess.of(slip("again")), "probably-new")
    assert.notStrictEqual(yield* guess.of(slip("again")), "probably-new")
    model.marks.add("slip-shop-elsewhere")
    assert.notStrictEqual(yield* guess.of(slip("elsewhere")), "probably-new")
  })

  it.effect("stops while the model lacks an event of this process for more than a second", function* () {
    const { guess, model } = yield* given
    guess.hasEvents(slip("own", 0))
    assert.strictEqual(yield* guess.of(slip("a", 999)), "probably-new")
    assert.notStrictEqual(yield* guess.of(slip("b", 1_000)), "probably-new")
    assert.notStrictEqual(yield* guess.of(slip("c", 1_999)), "probably-new")

    model.streams.add("slip-shop-own")
    // The next question of the second restores the trust, and no request waits for it.
    assert.notStrictEqual(yield* guess.of(slip("d", 2_000)), "probably-new")
    yield* until(Effect.map(guess.of(slip("e", 2_001)), (guessed) => guessed === "probably-new"))
    assert.deepStrictEqual(model.questions.map(({ length }) => length), [1, 2, 2, 1])
  })

  it.effect("stops while the model fails, and asks once a second without a request that waits", function* () {
    const { guess, model } = yield* given
    model.before = behind
    assert.notStrictEqual(yield* guess.of(slip("a", 0)), "probably-new")
    model.before = Effect.never
    assert.notStrictEqual(yield* guess.of(slip("b", 500)), "probably-new")
    assert.notStrictEqual(yield* guess.of(slip("c", 1_000)), "probably-new")
    assert.notStrictEqual(yield* guess.of(slip("d", 1_500)), "probably-new")
    yield* until(Effect.sync(() => model.questions.length >= 2))
    assert.deepStrictEqual(model.questions, [["slip-shop-a"], ["slip-shop-c"]])
  })
})
