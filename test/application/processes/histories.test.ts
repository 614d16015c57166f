import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import type { CallbackEvent } from "../../../domain/callback.ts"
import type { JobEvent } from "../../../domain/job.ts"
import { delays, makeSimulation, type Move } from "./simulation.ts"
import { runs } from "../../support/runs.ts"

/** Moves that continue a history are drawn more often: a history that ends early tests little. */
const Drawn = Schema.Struct({
  kind: Schema.Literals(["Perform", "Perform", "Perform", "Perform", "Wake", "Redeliver"]),
  outcome: Schema.Literals(["good", "retry", "retry", "bad"]),
  fate: Schema.Literals(["recorded", "recorded", "lost", "late", "double"])
})
const moves = Arbitrary.array(
  Arbitrary.map(
    Arbitrary.schema(Drawn),
    ({ fate, kind, outcome }): Move => kind === "Perform" ? { _tag: kind, outcome, fate } : { _tag: kind }
  ),
  { maxLength: 40 }
)
/** Sizes grow from run to run: short histories are easy to read, long ones find rare cases. */
const many = { arbitrary: { runs: runs(100), size: 40 } }
const hasUrl = Arbitrary.schema(Schema.Literals([true, true, true, false]))

const isJobEnd = ({ _tag }: JobEvent): boolean => _tag === "JobSucceeded" || _tag === "JobNotFound"
const isCallbackEnd = ({ _tag }: CallbackEvent): boolean =>
  _tag === "CallbackDelivered" || _tag === "CallbackRejected" || _tag === "CallbackAbandoned"

const count = <A>(items: ReadonlyArray<A>, test: (item: A) => boolean): number => items.filter(test).length

/** How often the callback was opened. Each opening must end before the next. */
const openings = (log: ReadonlyArray<CallbackEvent>): number => {
  let isOpen = false
  let opened = 0
  for (const event of log) {
    if (isCallbackEnd(event)) {
      assert.isTrue(isOpen, "two ends of one opening")
      isOpen = false
    }
    if (!isOpen && (event._tag === "CallbackScheduled" || event._tag === "CallbackRedeliveryRequested")) {
      isOpen = true
      opened += 1
    }
  }
  return opened
}

/** More steps than any job can have left. Work that is due after them never ends. */
const MAX_STEPS = 50

/** Runs the moves, and then steps without faults until nothing is due. */
const simulated = Effect.fnUntraced(function* (sequence: ReadonlyArray<Move>, callbackUrl: string | null) {
  const fixture = makeSimulation(callbackUrl)
  for (const move of sequence) {
    yield* fixture.move(move)
    const { isUnderWay, react, resume } = fixture.outlook()
    assert.deepStrictEqual(
      react,
      isUnderWay ? [undefined, undefined] : resume,
      "a continuing process and a process that takes over agree"
    )
  }
  let steps = 0
  while (yield* fixture.move({ _tag: "Perform", outcome: "retry", fate: "recorded" })) {
    assert.isBelow(steps++, MAX_STEPS, "a step is always due")
  }
  return fixture
})

describe("any history of outcomes, crashes, pauses, doubles and redeliveries", () => {
  it.effect.prop("ends the job once", [moves, hasUrl], ([sequence, hasUrl]) =>
    Effect.gen(function* () {
      const { jobLog } = yield* simulated(sequence, hasUrl ? "https://shop.example/hook" : null)
      const ends = jobLog.filter(isJobEnd)
      assert.lengthOf(ends, 1)
      assert.strictEqual(jobLog.at(-1), ends[0])
    }), many)

  it.effect.prop("ends the callback once for each opening, and has one only with a URL", [
    moves,
    hasUrl
  ], ([sequence, hasUrl]) =>
    Effect.gen(function* () {
      const { callbackLog } = yield* simulated(sequence, hasUrl ? "https://shop.example/hook" : null)
      assert.strictEqual(count(callbackLog, isCallbackEnd), openings(callbackLog))
      assert.strictEqual(callbackLog.length > 0, hasUrl)
    }), many)

  it.effect.prop(
    "sends a requested redelivery, unless the attempt in progress delivers it",
    [moves],
    ([sequence]) =>
      Effect.gen(function* () {
        const { callbackLog } = yield* simulated(sequence, "https://shop.example/hook")
        callbackLog.forEach(({ _tag }, index) => {
          if (_tag !== "CallbackRedeliveryRequested") return
          const next = callbackLog.slice(index).find((event) => event._tag === "CallbackSent" || isCallbackEnd(event))
          assert.include(["CallbackSent", "CallbackDelivered"], next?._tag)
        })
      }),
    many
  )

  it.effect.prop("makes no more attempts than the schedules have, except for lost outcomes", [
    moves
  ], ([sequence]) =>
    Effect.gen(function* () {
      const { callbackLog, jobLog, redeliveries, unrecorded } = yield* simulated(sequence, "https://shop.example/hook")
      const verified = count(jobLog, ({ _tag }) => _tag === "VerificationAttemptFailed" || _tag === "JobSucceeded")
      const sent = count(callbackLog, ({ _tag }) => _tag === "CallbackSent")
      assert.isAtMost(verified, delays.verification.length + 1)
      assert.isAtMost(sent, (delays.callback.length + 1) * (1 + redeliveries()) + unrecorded())
    }), many)

  it.effect.prop("leaves nothing due after the end, and nothing to append for a late process", [moves, hasUrl], ([
    sequence,
    hasUrl
  ]) =>
    Effect.gen(function* () {
      const fixture = yield* simulated(sequence, hasUrl ? "https://shop.example/hook" : null)
      const before = [...fixture.jobLog, ...fixture.callbackLog]
      for (let n = 0; n < sequence.length; n++) yield* fixture.move({ _tag: "Wake" })
      assert.deepStrictEqual([...fixture.jobLog, ...fixture.callbackLog], before)
      assert.deepInclude(fixture.outlook(), {
        react: [undefined, undefined],
        resume: [undefined, undefined],
        isOver: true,
        isEnded: hasUrl
      })
    }), many)
})
