import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import { callback, type CallbackCommand, CallbackEvent, type CallbackState, isEnded } from "../../domain/callback.ts"
import { itObeysTheLaws } from "./decider-laws.ts"
import { runs } from "../support/runs.ts"

const Attempt = Schema.Literals([1, 2, 3, 4, 5])
const Millis = Schema.Literals([0, 40])
const Command = Schema.TaggedUnion({
  SendCallback: {
    jobId: Schema.Literal("j-1"),
    branchId: Schema.Literal("silom"),
    url: Schema.Literals(["https://a.example/hook", "https://b.example"]),
    bodyDigest: Schema.String,
    attempt: Attempt,
    at: Schema.String
  },
  RecordOutcome: {
    attempt: Attempt,
    at: Schema.String,
    outcome: Schema.TaggedUnion({
      Delivered: { status: Schema.Literal(200), tookMillis: Millis },
      Rejected: { status: Schema.Literal(404), tookMillis: Millis },
      Failed: {
        status: Schema.NullOr(Schema.Literal(503)),
        reason: Schema.String,
        tookMillis: Millis,
        retryAt: Schema.NullOr(Schema.String)
      }
    })
  },
  RequestRedelivery: { at: Schema.String }
})
const commands: Arbitrary.Arbitrary<CallbackCommand> = Arbitrary.schema(Command)

const isEnd = ({ _tag }: CallbackEvent): boolean =>
  _tag === "CallbackDelivered" || _tag === "CallbackRejected" || _tag === "CallbackAbandoned"

describe("any callback", () => {
  itObeysTheLaws(callback, CallbackEvent, commands)

  it.prop("ends at most once for each opening, and numbers its attempts without a gap", [
    Arbitrary.array(commands, { maxLength: 40 })
  ], ([sequence]) => {
    let state: CallbackState = callback.initialState
    let isOpen = false
    const attempts: Array<number> = []
    for (const command of sequence) {
      for (const event of Result.getOrElse(callback.decide(command, state), () => [])) {
        if (event._tag === "CallbackScheduled" || event._tag === "CallbackRedeliveryRequested") isOpen = true
        else assert.isTrue(isOpen, `${event._tag} after the end`)
        if (event._tag === "CallbackSent") attempts.push(event.attempt)
        if (isEnd(event)) isOpen = false
        state = callback.evolve(state, event)
      }
      assert.strictEqual(isEnded(state), state.scheduled !== null && !isOpen)
    }
    assert.deepStrictEqual(attempts, attempts.map((_, index) => index + 1))
  }, { arbitrary: { runs: runs(100), size: 40 } })
})
