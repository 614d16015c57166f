import { assert, type Body, describe, effectOf, it } from "../support/it.ts"
import { Effect, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import type { AskNewStreams, SlipStream } from "../../ports/new-streams.ts"

export interface GivenNewStreams {
  readonly newStreams: AskNewStreams
  /** Appends the first event to the stream of a slip, and lets the adapter know it as in the service. */
  readonly append: (slip: SlipStream) => Effect.Effect<void, unknown>
}

const newSlip = (): SlipStream => {
  const digest = randomUUID().replaceAll("-", "")
  return { stream: `slip-shop-${digest}`, digest, at: 0 }
}

/** What every adapter of the NewStreams port must do. `given` is an empty log, a new one for each test. */
export const newStreamsContract = (log: string, given: Effect.Effect<GivenNewStreams, unknown, Scope.Scope>): void => {
  const test = (title: string, body: Body<never, [GivenNewStreams]>) =>
    it.effect(title, () => Effect.flatMap(given, (streams) => effectOf(body, streams)))

  describe(`NewStreams on ${log}`, () => {
    test("takes a stream for new that nothing was appended to", function* ({ newStreams }) {
      assert.strictEqual(yield* newStreams.of(newSlip()), "probably-new")
    })

    test("takes no stream for new after its first event", function* ({ append, newStreams }) {
      const [asked, unasked] = [newSlip(), newSlip()]
      assert.strictEqual(yield* newStreams.of(asked), "probably-new")
      yield* append(asked)
      newStreams.hasEvents(asked)
      yield* append(unasked)
      assert.notStrictEqual(yield* newStreams.of(asked), "probably-new")
      assert.notStrictEqual(yield* newStreams.of(unasked), "probably-new")
      assert.strictEqual(yield* newStreams.of(newSlip()), "probably-new")
    })

    test(
      "answers each of many questions at once, and says of no new stream that it is known",
      function* ({ append, newStreams }) {
        const slips = Array.from({ length: 60 }, newSlip)
        const appended = new Set(slips.filter((_, index) => index % 3 === 0))
        yield* Effect.forEach(appended, append)
        const answers = yield* Effect.forEach(slips, newStreams.of, { concurrency: "unbounded" })
        for (const [index, slip] of slips.entries()) {
          const answer = answers[index]
          if (appended.has(slip)) assert.notStrictEqual(answer, "probably-new")
          else assert.notStrictEqual(answer, "known")
        }
        assert.isAbove(answers.filter((answer) => answer === "probably-new").length, 30)
      }
    )
  })
}
