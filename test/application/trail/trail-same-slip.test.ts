import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { beginning } from "../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { verdictsAt } from "../../../application/trail/state-at.ts"
import { trail, trailAsLogged } from "../../../application/trail/trail.ts"
import { newSlip } from "../../support/client.ts"
import { ids, layerVerifying, projected, unknownSlip, verify } from "../given-trail.ts"
import { types } from "../given-verifier.ts"

/** The result of a query, and the streams that it read, with repetitions. */
const withReads = Effect.fnUntraced(function* <A, E, R>(query: Effect.Effect<A, E, R>) {
  const store = yield* EventStore
  const reads: Array<string> = []
  const instrumented = EventStore.of({
    ...store,
    readStream: (stream, options) => {
      reads.push(stream)
      return store.readStream(stream, options)
    }
  })
  return { result: yield* Effect.provideService(query, EventStore, instrumented), reads }
})

const ofSlips = (reads: ReadonlyArray<string>) => reads.filter((stream) => stream.startsWith("slip-"))

/** One slip, verified five times, twice by another branch, and a slip that the bank does not know. */
const history = Effect.gen(function* () {
  const slip = newSlip()
  for (const [id, branchId] of ["branch-1", "branch-1", "branch-2", "branch-1", "branch-2"].entries()) {
    yield* verify(id, slip.payload, branchId)
  }
  yield* verify(5, unknownSlip.payload, "branch-1")
  yield* projected
})

describe("a slip with many verifications", () => {
  it.live("has the first thousand in its trail, reads no more, and has all in an export", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const { payload, sendingBank, transRef } = newSlip()
      yield* verify(0, payload, "branch-1")
      const [first] = (yield* store.readAll({ after: beginning, limit: 100 })).filter(({ type }) =>
        type === "SlipVerified"
      )
      if (first === undefined) return assert.fail("the slip is not in the log")
      const { month, at, branchId } = first.data
      const repeats = Array.from({ length: 1_200 }, (_, index) => ({
        id: randomUUID(),
        type: "SlipVerifiedAgain",
        data: {
          verificationId: `again-${index}`,
          branchId: branchId ?? "",
          at: at ?? "",
          month: month ?? "",
          charged: false,
          remark: null,
          expectedAmount: null,
          isAmountMatched: null,
          matching: null
        },
        metadata: { ...first.metadata, causationId: `again-${index}` }
      }))
      yield* store.append(first.stream, 0, repeats)
      yield* projected

      const slip = { _tag: "Slip", sendingBank, transRef } as const
      const { result: { events, isTruncated }, reads } = yield* withReads(trail(slip))
      assert.deepStrictEqual([events.length, events.at(-1)?.revision, isTruncated], [1_000, 999, true])
      assert.strictEqual(ofSlips(reads).length, 1)
      const whole = yield* trailAsLogged(slip)
      assert.deepStrictEqual([whole.events.length, whole.isTruncated], [1_201, false])
    }).pipe(Effect.provide(layerVerifying)))

  it.live("is read once for the trail of a branch, which has the branch's verifications", () =>
    Effect.gen(function* () {
      yield* history
      const { result: { events }, reads } = yield* withReads(trail({ _tag: "Branch", id: "branch-1" }))
      const again = "SlipVerifiedAgain"
      assert.deepStrictEqual(types(events), ["SlipVerified", again, again, "VerificationFailed"])
      assert.deepStrictEqual(events.map(({ data }) => data["verificationId"]), [ids[0], ids[1], ids[3], ids[5]])
      assert.strictEqual(ofSlips(reads).length, 1)
    }).pipe(Effect.provide(layerVerifying)))

  it.live("is read once for several verdicts", () =>
    Effect.gen(function* () {
      yield* history
      const requested = [ids[4] ?? "", ids[5] ?? "", ids[0] ?? "", ids[8] ?? ""]
      const { result, reads } = yield* withReads(verdictsAt(requested, Date.now()))
      assert.deepStrictEqual(
        requested.map((id) => [result.get(id)?.verdict, result.get(id)?.branchId, result.get(id)?.amount]),
        [["duplicate", "branch-2", 100], ["failed", "branch-1", null], ["first", "branch-1", 100], [
          undefined,
          undefined,
          undefined
        ]]
      )
      assert.strictEqual(ofSlips(reads).length, 1)
    }).pipe(Effect.provide(layerVerifying)))
})
