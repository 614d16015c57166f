import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { SLICE } from "../../../application/events/handle-command.ts"
import { stateAt } from "../../../application/trail/state-at.ts"
import { trail, type TrailSubject } from "../../../application/trail/trail.ts"
import { streamOf } from "../../../domain/events/aggregates.ts"
import { formatPosition, type RecordedEvent } from "../../../domain/events/recorded-event.ts"
import { isoTime } from "../../../domain/time.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { someEvent } from "../../support/event-fixtures.ts"
import { newSlip } from "../../support/client.ts"
import {
  enqueueAndFail,
  ids,
  layerVerifying,
  pagesOf,
  projected,
  succeed,
  unknownSlip,
  verify
} from "../given-trail.ts"

const test = it.live.with(() => layerVerifying)

const positions = (events: ReadonlyArray<RecordedEvent>) => events.map(({ position }) => formatPosition(position))

const [jobId = ""] = ids

/** More than the events of a slice. */
const REDELIVERIES = 2 * SLICE + 10

const dueAt = (index: number): string => isoTime(Date.parse("2026-11-21T06:00:00.000Z") + index)

/** A job whose callback was sent again many times. */
const givenLongCallback = Effect.gen(function* () {
  const slip = newSlip()
  yield* enqueueAndFail(jobId, slip, "branch-1")
  yield* succeed(0, slip, "branch-1")
  const stream = streamOf.callback(jobId)
  const sent = yield* (yield* EventStore).readStream(stream)
  const again = Array.from(
    { length: REDELIVERIES },
    (_, index) =>
      someEvent(`redelivery-${index}`, "CallbackRedeliveryRequested", {
        jobId,
        branchId: "branch-1",
        host: "shop.example",
        at: "2026-11-21T06:00:00.000Z",
        nextAttemptAt: dueAt(index)
      })
  )
  yield* (yield* EventStore).append(stream, sent.length - 1, again)
  yield* projected
  return slip
})

/** One slip in two services, with a failure, a job that ended with it, and a job that is open. */
const givenSlip = Effect.gen(function* () {
  const slip = newSlip()
  yield* enqueueAndFail(jobId, slip, "branch-1")
  yield* succeed(0, slip, "branch-1")
  yield* verify(1, slip.payload, "branch-2")
  yield* verify(2, slip.payload, "branch-3", "service-2")
  yield* enqueueAndFail(ids[3] ?? "", slip, "branch-1")
  yield* verify(4, unknownSlip.payload, "branch-1")
  yield* projected
  return slip
})

describe("the pages of a trail", () => {
  test("divide a long stream, without gaps and repetitions", function* () {
    yield* givenLongCallback
    const job = { _tag: "Job", id: jobId } as const
    const [whole = []] = yield* pagesOf(job, 500)
    assert.lengthOf(whole, 6 + REDELIVERIES)
    const pages = yield* pagesOf(job, 30)
    assert.isAtMost(Math.max(...pages.map(({ length }) => length)), 30)
    assert.deepStrictEqual(positions(pages.flat()).sort(), positions(whole).sort())
    assert.lengthOf(yield* pagesOf(job, 6 + REDELIVERIES), 1)

    const state = yield* stateAt(job, Date.now())
    assert.deepNestedInclude(state, {
      "callback.state": "pending",
      "callback.nextAttemptAt": dueAt(REDELIVERIES - 1)
    })
  })

  test("have the same events together, for any number of events of a page", function* () {
    const slip = yield* givenSlip
    const subjects: ReadonlyArray<TrailSubject> = [
      { _tag: "Slip", ...slip },
      { _tag: "Slip", ...unknownSlip },
      { _tag: "Branch", id: "branch-1" },
      { _tag: "Verification", id: jobId }
    ]
    for (const subject of subjects) {
      const [whole = [], ...more] = yield* pagesOf(subject, 500)
      assert.isEmpty(more)
      assert.isNotEmpty(whole)
      for (const limit of [1, 2, 3, 7]) {
        const pages = yield* pagesOf(subject, limit)
        assert.deepStrictEqual(positions(pages.flat()).sort(), positions(whole).sort(), `${subject._tag} ${limit}`)
      }
    }
  })

  test("are refused for a cursor of another trail, or one that is not valid", function* () {
    const slip = yield* givenSlip
    const query = { limit: 1, upTo: undefined }
    const { nextCursor: cursor } = yield* trail({ _tag: "Branch", id: "branch-1" }, query)
    assert.isNotNull(cursor)
    const digits = "9".repeat(400)
    for (const unknown of [cursor, "0.x", `${digits}.x~jobs`, "0.job~jobs~stream-x/1", "0.x~jobs~stream-x~1"]) {
      const refused = yield* Effect.flip(trail({ _tag: "Slip", ...slip }, { ...query, cursor: unknown ?? "" }))
      assert.strictEqual(refused._tag, "CursorUnknown", unknown ?? "")
    }
  })
})
