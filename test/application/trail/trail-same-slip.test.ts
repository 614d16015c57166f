import { assert, describe, it } from "../../support/it.ts"
import { Effect, Layer } from "effect"
import { beginning } from "../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { stateAt, verdictsAt } from "../../../application/trail/state-at.ts"
import { selectTrail } from "../../../application/trail/export.ts"
import { trail } from "../../../application/trail/trail.ts"
import { newSlip } from "../../support/client.ts"
import { repeatsOf } from "../../support/slip-repeats.ts"
import { ids, layerVerifying, pagesOf, projected, unknownSlip, verify } from "../given-trail.ts"
import { types } from "../given-verifier.ts"

const test = it.live.with(() => layerVerifying)

/** The result of a query, the streams that it read, with repetitions, and the number of events. */
const withReads = Effect.fnUntraced(function* <A, E, R>(query: Effect.Effect<A, E, R>) {
  const store = yield* EventStore
  const reads: Array<string> = []
  let events = 0
  const instrumented = EventStore.of({
    ...store,
    readStream: (stream, options) => {
      reads.push(stream)
      return Effect.tap(store.readStream(stream, options), ({ length }) => Effect.sync(() => void (events += length)))
    }
  })
  const result = yield* Effect.provideService(query, EventStore, instrumented)
  return { result, reads, events }
})

/** One slip, verified five times, twice by another branch, and a slip that the bank does not know. */
const history = Effect.gen(function* () {
  const slip = newSlip()
  for (const [id, branchId] of ["branch-1", "branch-1", "branch-2", "branch-1", "branch-2"].entries()) {
    yield* verify(id, slip.payload, branchId)
  }
  yield* verify(5, unknownSlip.payload, "branch-1")
  yield* projected
})

/** A slip that its branch verified many times. Returns its stream. */
const givenRepeats = Effect.fnUntraced(function* (repeats: number) {
  const store = yield* EventStore
  const { payload, sendingBank, transRef } = newSlip()
  yield* verify(0, payload, "branch-1")
  const [first] = (yield* store.readAll({ after: beginning, limit: 100 })).filter(({ type }) => type === "SlipVerified")
  if (first === undefined) return yield* Effect.die("the slip is not in the log")
  const again = repeatsOf(first, repeats).map((event, index) =>
    index < repeats - 1 ? event : { ...event, data: { ...event.data, branchId: "branch-2", charged: true } }
  )
  yield* store.append(first.stream, 0, again)
  yield* projected
  return { _tag: "Slip", sendingBank, transRef } as const
})

describe("a slip with many verifications", () => {
  test("has all of them in pages, and in the order of the log in an export", function* () {
    const slip = yield* givenRepeats(1_200)
    const pages = yield* pagesOf(slip, 500)
    const revisions = Array.from({ length: 1_201 }, (_, index) => index)
    assert.deepStrictEqual(pages.map(({ length }) => length), [500, 500, 201])
    assert.deepStrictEqual(pages.flat().map(({ revision }) => revision), revisions)

    const { pages: exportedPages } = yield* selectTrail(slip, { from: undefined, to: undefined })
    const exported: Array<number> = []
    yield* exportedPages(
      beginning,
      ({ events }) => Effect.sync(() => void exported.push(...events.map(({ revision }) => revision)))
    )
    assert.deepStrictEqual(exported, revisions)
  })

  it.live("costs as much for its first page and its state as one with few", function* () {
    const readsOf = Effect.fnUntraced(function* (repeats: number) {
      const slip = yield* givenRepeats(repeats)
      const page = yield* withReads(trail(slip, { limit: 50, upTo: undefined }))
      const { events, reads, result } = yield* withReads(stateAt(slip, Date.now()))
      assert.strictEqual(page.result.events.length, 50)
      return { page: page.events, state: events - Math.ceil(Math.log2(repeats)), reads: reads.length, result }
    })
    const few = yield* Effect.provide(readsOf(200), Layer.fresh(layerVerifying))
    const many = yield* Effect.provide(readsOf(5_000), Layer.fresh(layerVerifying))
    assert.strictEqual(many.page, few.page)
    assert.isAtMost(many.state, few.state + 10)
    const state = many.result
    if (state?.kind !== "slip") return assert.fail("the state is not that of a slip")
    const [service] = state.services
    assert.deepInclude(service, { times: 5_001, charged: 2, branchIds: ["branch-1", "branch-2"] })
    assert.deepStrictEqual([service?.verifications.length, state.truncated], [100, true])
  })

  test("is not read for the trail of a branch, except for the branch's verifications", function* () {
    yield* history
    const branch = { _tag: "Branch", id: "branch-1" } as const
    const { events: read, result: { events } } = yield* withReads(trail(branch, { limit: 500, upTo: undefined }))
    const again = "SlipVerifiedAgain"
    assert.deepStrictEqual(types(events), ["SlipVerified", again, again, "VerificationFailed"])
    assert.deepStrictEqual(events.map(({ data }) => data["verificationId"]), [ids[0], ids[1], ids[3], ids[5]])
    assert.strictEqual(read, events.length)
  })

  test("is not read for verdicts, except for its first event and theirs", function* () {
    yield* history
    const requested = [ids[4] ?? "", ids[5] ?? "", ids[0] ?? "", ids[8] ?? ""]
    const { events, result } = yield* withReads(verdictsAt(requested, Date.now()))
    assert.deepStrictEqual(
      requested.map((id) => [result.get(id)?.verdict, result.get(id)?.branchId, result.get(id)?.amount]),
      [["duplicate", "branch-2", 100], ["failed", "branch-1", null], ["first", "branch-1", 100], [
        undefined,
        undefined,
        undefined
      ]]
    )
    assert.strictEqual(events, 2 + 1 + 2)
  })
})
