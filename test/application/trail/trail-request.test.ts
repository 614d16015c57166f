import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { recordDisclosure } from "../../../application/erasure/erase-slip.ts"
import { type CommandContext, handleCommand } from "../../../application/events/handle-command.ts"
import { isRequest } from "../../../application/trail/trail-sources.ts"
import { trail, trailItem } from "../../../application/trail/trail.ts"
import { requests, streamOf } from "../../../domain/events/aggregates.ts"
import { beginning } from "../../../domain/events/recorded-event.ts"
import { isoTime } from "../../../domain/time.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { ReadModels, type Write } from "../../../ports/read-models.ts"
import { modelName } from "../../../projections/engine/model-name.ts"
import { bankAccountsModel } from "../../../projections/models/bank-accounts.ts"
import { duplicatesModel } from "../../../projections/models/duplicates.ts"
import { jobsModel } from "../../../projections/models/jobs.ts"
import { trailIndexModel, trailSets } from "../../../projections/models/trail-index.ts"
import { verificationsModel } from "../../../projections/models/verifications.ts"
import { byService } from "../given-intake.ts"
import { operation } from "../given-application.ts"
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
import { types } from "../given-verifier.ts"
import { newSlip } from "../../support/client.ts"
import { someEvent } from "../../support/event-fixtures.ts"
import { layerPorts } from "../../support/ports.ts"

const test = it.live.with(() => layerVerifying)

const at = Date.parse("2026-11-21T05:00:00.000Z")
const typesOf = (id: string, upTo?: number) =>
  Effect.map(trail({ _tag: "Request", id }, { limit: 500, upTo }), ({ events }) => types(events))

const REQUEST = "5f1b9a52-3c74-4a8e-9b0d-6c1e2f7a8d43"
const OTHER_REQUEST = "9d0f4f0e-6a55-4f6e-8a43-0c8b8f7f1b52"
const REQUEST_IN_TRACE = "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7"

const about = { subjectId: ids[0] ?? "", at: isoTime(at) }

const begin = (digest: string, ids: Partial<CommandContext>) =>
  handleCommand(requests, streamOf.request(digest), {
    _tag: "BeginRequest",
    branchId: "branch-1",
    fingerprint: "f",
    ...about
  }, { ...byService(digest, at), ...ids })

const release = (digest: string, ids: Partial<CommandContext>) =>
  handleCommand(requests, streamOf.request(digest), { _tag: "ReleaseRequest", ...about }, {
    ...byService(`release ${digest}`, at),
    ...ids
  })

// In `given-trail.ts`, verifications have the correlation id "request" and jobs "request-1".
describe("the trail of a request", () => {
  test("has its verifications, successful and failed", function* () {
    const slip = newSlip()
    yield* verify(0, slip.payload, "branch-1")
    yield* verify(1, slip.payload, "branch-1")
    yield* verify(2, unknownSlip.payload, "branch-1")
    yield* projected
    assert.deepStrictEqual(yield* typesOf("request"), ["SlipVerified", "SlipVerifiedAgain", "VerificationFailed"])
  })

  test("has all events of its job, and its own events of the slip's stream", function* () {
    const slip = newSlip()
    yield* enqueueAndFail(ids[0] ?? "", slip, "branch-1")
    yield* succeed(0, slip, "branch-1")
    yield* projected
    assert.deepStrictEqual(yield* typesOf("request-1"), [
      "VerificationEnqueued",
      "VerificationAttemptFailed",
      "JobSucceeded",
      "CallbackScheduled",
      "CallbackSent"
    ])
    assert.deepStrictEqual(yield* typesOf("request"), ["SlipVerified"])
  })

  test("has its refusal under the idempotency key, and a disclosure", function* () {
    const stream = streamOf.request("digest")
    yield* begin("digest", {})
    const refuse = { _tag: "RefuseRequest", code: "SLIP_NOT_FOUND", message: "Slip not found", ...about } as const
    yield* handleCommand(requests, stream, refuse, byService("refuse", at))
    yield* recordDisclosure({ command: "c", from: null, to: null, branchId: null, subject: null }, operation)
    yield* projected
    assert.deepStrictEqual(yield* typesOf("request-1"), ["RequestBegun", "RequestRefused"])
    assert.deepStrictEqual(yield* typesOf(operation.correlationId), ["PersonalDataRevealed"])
  })

  test("ends at a given time, and is empty for a request without events", function* () {
    const slip = newSlip()
    yield* enqueueAndFail(ids[0] ?? "", slip, "branch-1")
    yield* verify(1, slip.payload, "branch-1")
    yield* projected
    assert.deepStrictEqual(yield* typesOf("request-1", at), ["VerificationEnqueued", "VerificationAttemptFailed"])
    for (
      const empty of [typesOf("request-1", at - 1), typesOf("REQUEST-1"), typesOf("request-"), typesOf("another")]
    ) {
      assert.strictEqual((yield* Effect.flip(empty))._tag, "TrailEmpty")
    }
    assert.deepStrictEqual([yield* isRequest("request-1"), yield* isRequest("another")], [true, false])
  })

  test("is found by the caller's id, with later work of the request and requests of an old log", function* () {
    yield* begin("first", { correlationId: REQUEST, clientRequestId: "order-7" })
    yield* begin("second", { correlationId: OTHER_REQUEST, clientRequestId: "order-7" })
    yield* release("first", { correlationId: REQUEST })
    // In an old log, the caller's id is the correlation id.
    yield* begin("old", { correlationId: "order-7" })
    yield* begin("unnamed", { correlationId: "order-70", clientRequestId: "order" })
    yield* projected
    assert.deepStrictEqual(yield* typesOf("order-7"), [
      "RequestBegun",
      "RequestBegun",
      "RequestReleased",
      "RequestBegun"
    ])
    assert.deepStrictEqual(yield* typesOf(REQUEST), ["RequestBegun", "RequestReleased"])
    const { events } = yield* trail({ _tag: "Request", id: "order-7" }, { limit: 500, upTo: undefined })
    assert.deepStrictEqual(
      events.map(trailItem).map(({ clientRequestId, requestId }) => [requestId, clientRequestId]),
      [[REQUEST, "order-7"], [OTHER_REQUEST, "order-7"], [REQUEST, null], ["order-7", null]]
    )
    assert.deepStrictEqual([yield* isRequest("order"), yield* isRequest("ORDER-7")], [true, false])
  })

  it.live.each([REQUEST, REQUEST_IN_TRACE])(
    "has no event of a caller that names its own requests so: %s",
    (id) =>
      Effect.gen(function* () {
        yield* begin("victim", { correlationId: id })
        yield* begin("attack", { correlationId: OTHER_REQUEST, clientRequestId: id })
        yield* projected
        const { events } = yield* trail({ _tag: "Request", id }, { limit: 500, upTo: undefined })
        assert.deepStrictEqual(events.map(({ stream }) => stream), [streamOf.request("victim")])
        assert.deepStrictEqual(yield* typesOf(OTHER_REQUEST), ["RequestBegun"])
      }).pipe(Effect.provide(layerVerifying))
  )

  it.live("has all of its events in pages when a caller gives every request the same id", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const models = yield* ReadModels
      const writes: Array<Write> = []
      for (let index = 0; index <= 1_000; index++) {
        const id = `v-${String(index).padStart(4, "0")}`
        const stream = streamOf.verification(id)
        yield* store.append(stream, "no-stream", [someEvent(id, "VerificationFailed", { verificationId: id })])
        writes.push({
          _tag: "AddMember",
          set: trailSets.requests.set,
          member: `correlation ${stream} 0`,
          score: 0
        })
      }
      const upTo = yield* store.head
      yield* models.apply(modelName(trailIndexModel), { after: beginning, upTo, writes })
      for (const model of [duplicatesModel, verificationsModel, jobsModel, bankAccountsModel]) {
        yield* models.apply(modelName(model), { after: beginning, upTo, writes: [] })
      }
      const pages = yield* pagesOf({ _tag: "Request", id: "correlation" }, 400)
      assert.isAbove(pages.length, 2)
      assert.lengthOf(pages.flat(), 1_001)
      assert.strictEqual(new Set(pages.flat().map(({ stream }) => stream)).size, 1_001)
      assert.strictEqual(pages[0]?.[0]?.data["verificationId"], "v-0000")
    }).pipe(Effect.provide(layerPorts())))
})
