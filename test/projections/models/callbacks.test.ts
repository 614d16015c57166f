import { assert, describe, it } from "@effect/vitest"
import {
  attemptKey,
  attemptRows,
  callbackLane,
  callbackSets,
  callbacksProjection,
  hostRows,
  laneRows
} from "../../../projections/models/callbacks.ts"
import { laneMember, parseLaneMember } from "../../../projections/engine/lane-member.ts"
import type { OrderedSet } from "../../../projections/engine/read-model.ts"
import type { RecordedEvent } from "../../../domain/events/recorded-event.ts"
import type { CallbackEvent } from "../../../domain/callback.ts"
import { callbackEvent, expired, jobEvent, projected } from "../given-events.ts"
import { attemptFailed, enqueued, notFound, succeeded, time } from "../job-fixtures.ts"

const about = { jobId: "j-1", branchId: "silom", host: "shop.example" }
const lane = callbackLane("silom", about.host)
const member = laneMember(lane, about.jobId)
const answer = { ...about, at: time.answered, tookMillis: 40 }

const ended = jobEvent(succeeded)
const scheduled = callbackEvent({
  _tag: "CallbackScheduled",
  ...about,
  url: "https://shop.example/hook",
  bodyDigest: "e3b0",
  at: time.sent,
  nextAttemptAt: time.sent
})
const sent = (attempt: number) => callbackEvent({ _tag: "CallbackSent", ...about, attempt, at: time.sent })
const failed = (attempt: number, nextAttemptAt: string | null = time.resend) => {
  const why = { status: 503, reason: "it answered 503" }
  return callbackEvent({ _tag: "CallbackAttemptFailed", ...answer, attempt, ...why, nextAttemptAt })
}
const answered = (_tag: "CallbackDelivered" | "CallbackRejected", attempt: number) =>
  callbackEvent({ _tag, ...answer, attempt, status: _tag === "CallbackDelivered" ? 204 : 404 })
const abandoned = callbackEvent({ _tag: "CallbackAbandoned", ...about, attempts: 1, at: time.answered })
const reopened: CallbackEvent = {
  _tag: "CallbackRedeliveryRequested",
  ...about,
  at: time.requested,
  nextAttemptAt: time.requested
}

const given = (...events: ReadonlyArray<RecordedEvent>) => projected(callbacksProjection, ...events)
const dueAfter = (...events: ReadonlyArray<RecordedEvent>) => given(...events).members(callbackSets.due)
const failingAfter = (...events: ReadonlyArray<RecordedEvent>) => given(...events).members(callbackSets.failing(lane))
const rowAfter = (attempt: number, ...events: ReadonlyArray<RecordedEvent>) =>
  given(...events).row(attemptRows, attemptKey("j-1", attempt))

describe("a callback is due", () => {
  it.each([ended, jobEvent(notFound)])("from the end of its job, $type", (event) => {
    assert.deepStrictEqual(dueAfter(event), { [member]: Date.parse(time.ended) })
  })

  it("at the host of its URL", () => {
    const due = dueAfter(jobEvent({ ...succeeded, callbackUrl: "https://Shop.Example:8443/hook?x=1" }))
    assert.deepStrictEqual(Object.keys(due), [laneMember(callbackLane("silom", "shop.example:8443"), "j-1")])
  })

  it("never while the job is open, or without a URL", () => {
    assert.deepStrictEqual(given(jobEvent(enqueued), jobEvent(attemptFailed)).sets, [])
    assert.deepStrictEqual(given(jobEvent({ ...succeeded, callbackUrl: null })).sets, [])
    assert.deepStrictEqual(given(jobEvent({ ...notFound, callbackUrl: null })).sets, [])
  })

  it("after it was sent, so that it is found again when the process dies", () => {
    assert.deepStrictEqual(dueAfter(ended, scheduled, sent(1)), { [member]: Date.parse(time.ended) })
  })

  it("again after an attempt that failed", () => {
    assert.deepStrictEqual(dueAfter(ended, scheduled, sent(1), failed(1)), { [member]: Date.parse(time.resend) })
  })

  it.each([
    ["delivered", [answered("CallbackDelivered", 1)]],
    ["rejected", [answered("CallbackRejected", 1)]],
    ["abandoned", [failed(1, null), abandoned]]
  ])("until it was %s, and again after a redelivery request", (_, events) => {
    const history = [ended, scheduled, sent(1), ...events]
    assert.deepStrictEqual(dueAfter(...history), {})
    assert.deepStrictEqual(dueAfter(...history, callbackEvent(reopened)), { [member]: Date.parse(time.requested) })
  })
})

describe("a server", () => {
  it("has the callbacks with a failed attempt that have not ended", () => {
    const history = [ended, scheduled, sent(1), failed(1)]
    assert.deepStrictEqual(failingAfter(...history), { "j-1": Date.parse(time.answered) })
    assert.deepStrictEqual(failingAfter(...history, sent(2), answered("CallbackDelivered", 2)), {})
    assert.deepStrictEqual(failingAfter(...history, sent(2), answered("CallbackRejected", 2)), {})
    assert.deepStrictEqual(failingAfter(...history, sent(2), failed(2, null), abandoned), {})
  })

  it("has the time of its last delivery or rejection, of any branch and of this one", () => {
    const lastOk = (...events: ReadonlyArray<RecordedEvent>) =>
      ([[hostRows, about.host], [laneRows, lane]] as const).map(([rows, name]) =>
        given(ended, scheduled, sent(1), ...events).row(rows, name)
      )
    assert.deepStrictEqual(lastOk(failed(1, null), abandoned), [undefined, undefined])
    for (const tag of ["CallbackDelivered", "CallbackRejected"] as const) {
      assert.deepStrictEqual(lastOk(answered(tag, 1)), [{ lastOkAt: time.answered }, { lastOkAt: time.answered }])
    }
  })
})

describe("a callback that has ended", () => {
  const ends = ["delivered", "rejected", "abandoned"] as const
  const setsOf = (end: typeof ends[number]) => [callbackSets.ended(end), callbackSets.endedAt(end, about.host)]
  const pending = [callbackSets.due, callbackSets.dueAt(about.host)]
  const setsAfter = (events: ReadonlyArray<RecordedEvent>) => {
    const { members, sets } = given(...events)
    const all = [...pending, ...ends.flatMap(setsOf)]
    return Object.fromEntries(all.filter(({ set }) => sets.includes(set)).map((one) => [one.set, members(one)]))
  }
  const inAll = (sets: ReadonlyArray<OrderedSet>, at: string) =>
    Object.fromEntries(sets.map(({ set }) => [set, { [member]: Date.parse(at) }]))

  it.each(
    [
      ["delivered", [answered("CallbackDelivered", 1)]],
      ["rejected", [answered("CallbackRejected", 1)]],
      ["abandoned", [failed(1, null), abandoned]]
    ] as const
  )("is in the set of %s callbacks, and in that of its host, until a redelivery is requested", (end, events) => {
    const history = [ended, scheduled, sent(1), ...events]
    assert.deepStrictEqual(setsAfter(history), inAll(setsOf(end), time.answered))
    const requested = [...history, callbackEvent(reopened)]
    assert.deepStrictEqual(setsAfter(requested), inAll(pending, time.requested))
    const delivered = [...requested, sent(2), answered("CallbackDelivered", 2)]
    assert.deepStrictEqual(setsAfter(delivered), inAll(setsOf("delivered"), time.answered))
  })

  it("is due in the index and at its host until then", () => {
    assert.deepStrictEqual(setsAfter([ended, scheduled, sent(1)]), inAll(pending, time.ended))
    assert.deepStrictEqual(setsAfter([ended, scheduled, sent(1), failed(1)]), inAll(pending, time.resend))
  })
})

describe("the log of deliveries", () => {
  const unknown = { status: null, reason: null, tookMillis: null, nextAttemptAt: null }
  const row = { jobId: "j-1", attempt: 1, host: "shop.example", at: time.sent }

  it("has an attempt from its sending, with any outcome", () => {
    const { members } = given(ended, scheduled, sent(1))
    assert.deepStrictEqual(rowAfter(1, ended, scheduled, sent(1)), { ...row, outcome: "sent", ...unknown })
    assert.deepStrictEqual(members(callbackSets.deliveries("silom")), { "j-1#1": Date.parse(time.sent) })
    assert.deepStrictEqual(members(callbackSets.deliveriesWith("silom", "sent")), { "j-1#1": Date.parse(time.sent) })
  })

  it.each(
    [
      ["delivered", [answered("CallbackDelivered", 1)], { status: 204, tookMillis: 40 }],
      ["rejected", [answered("CallbackRejected", 1)], { status: 404, tookMillis: 40 }],
      ["failed", [failed(1)], { status: 503, reason: "it answered 503", tookMillis: 40, nextAttemptAt: time.resend }]
    ] as const
  )("has an attempt as %s after its outcome, and no longer as sent", (outcome, events, known) => {
    const { members, sets } = given(ended, scheduled, sent(1), ...events)
    assert.deepStrictEqual(rowAfter(1, ended, scheduled, sent(1), ...events), { ...row, outcome, ...unknown, ...known })
    assert.deepStrictEqual(members(callbackSets.deliveries("silom")), { "j-1#1": Date.parse(time.sent) })
    assert.deepStrictEqual(members(callbackSets.deliveriesWith("silom", outcome)), {
      "j-1#1": Date.parse(time.answered)
    })
    assert.notInclude(sets, callbackSets.deliveriesWith("silom", "sent").set)
  })

  it("keeps every attempt of a job, also one whose outcome was lost", () => {
    const { members } = given(ended, scheduled, sent(1), sent(2), answered("CallbackDelivered", 2))
    assert.deepStrictEqual(Object.keys(members(callbackSets.deliveries("silom"))), ["j-1#1", "j-1#2"])
    assert.deepStrictEqual(Object.keys(members(callbackSets.deliveriesWith("silom", "sent"))), ["j-1#1"])
    assert.deepStrictEqual(Object.keys(members(callbackSets.deliveriesWith("silom", "delivered"))), ["j-1#2"])
  })
})

describe("after the retention", () => {
  const deliveries = [callbackSets.deliveries("silom").set, callbackSets.deliveriesWith("silom", "sent").set]

  it("an attempt leaves the delivery log, and the callback stays due", () => {
    const { row, sets } = expired(callbacksProjection, callbackSets.attempts, ended, scheduled, sent(1), failed(1))
    assert.isUndefined(row(attemptRows, attemptKey("j-1", 1)))
    assert.deepStrictEqual(
      sets,
      [callbackSets.due, callbackSets.dueAt("shop.example"), callbackSets.failing(lane)].map(({ set }) => set)
    )
  })

  it("a callback that ended leaves the lists of its end, and its attempts stay", () => {
    const events = [ended, scheduled, sent(1), sent(2), answered("CallbackRejected", 2)]
    const { row, sets } = expired(callbacksProjection, callbackSets.ended("rejected"), ...events)
    assert.deepStrictEqual(
      sets,
      [...deliveries, callbackSets.attempts.set, callbackSets.deliveriesWith("silom", "rejected").set].sort()
    )
    assert.deepInclude(row(attemptRows, attemptKey("j-1", 2)), { outcome: "rejected" })
  })

  it("nothing else leaves", () => {
    const sets = callbacksProjection.expiring?.map(({ set }) => set)
    assert.deepStrictEqual(sets, ["attempts", "ended:delivered", "ended:rejected", "ended:abandoned"])
  })
})

describe("a member with its host", () => {
  it.each(["shop.example", "shop.example:8443", "[2001:db8::1]:8443"])("is read back: %s", (host) => {
    assert.deepStrictEqual(parseLaneMember(laneMember(host, "j-1")), { lane: host, jobId: "j-1" })
  })
})
