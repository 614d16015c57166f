import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { ADMIN_TOKEN, layerRunningService, RunningService } from "../support/service.ts"
import { type Trail, trail } from "./ask-trail.ts"
import { assertFailure, assertInvalid } from "./assert-answer.ts"

const typesOf = ({ data }: { readonly data: Trail }) => data.events.map(({ type }) => type)

const newBranch = Effect.gen(function* () {
  const { mainBranch } = yield* (yield* RunningService).createService()
  return mainBranch
})

layer.live(layerRunningService())("the admin API over the trail of a request", (it) => {
  it.effect("returns the events of a request as soon as it is answered, without a state", function* () {
    const { verify } = yield* RunningService
    const { apiKey } = yield* newBranch
    const { data: { verificationId }, headers } = yield* verify(apiKey, newSlip().payload)
    const answer = yield* trail(`request=${headers.get("x-request-id")}`)
    assert.deepStrictEqual([answer.status, answer.message, answer.data.truncated, answer.data.state], [
      200,
      "Trail",
      false,
      null
    ])
    assert.deepStrictEqual(typesOf(answer), ["SlipVerified"])
    assert.strictEqual(answer.data.events[0]?.data["verificationId"], verificationId)
  })

  it.effect("returns all events of a batch, including those of its jobs after the answer", function* () {
    const { call } = yield* RunningService
    const { apiKey: key } = yield* newBranch
    const headers = { "x-request-id": "batch:42" }
    const body = { slips: [{ payload: newSlip().payload }, { payload: newSlip({ outcome: "not-found" }).payload }] }
    assert.strictEqual((yield* call("POST", "/v2/verify/bank/batch", { key, headers, body })).status, 202)
    // The events of jobs are read from the log, and the slips that they lead to are found by a read model.
    const answer = yield* eventually(
      trail("request=batch:42"),
      (found) =>
        ["SlipVerified", "JobSucceeded", "VerificationAttemptFailed"].every((type) => typesOf(found).includes(type))
    )
    assert.lengthOf(typesOf(answer).filter((type) => type === "VerificationEnqueued"), 2)
    // Later work has the request's id alone.
    const named = answer.data.events.filter(({ clientRequestId }) => clientRequestId === "batch:42")
    assert.deepStrictEqual(named.map(({ type }) => type), ["VerificationEnqueued", "VerificationEnqueued"])
  })

  it.effect("returns the events of all requests with the same caller's id, each with its own id", function* () {
    const { call } = yield* RunningService
    const { apiKey: key, id } = yield* newBranch
    const headers = { "x-request-id": "same" }
    const verify = (path: string, payload: string, more = {}) =>
      call("POST", path, { key, headers: { ...headers, ...more }, body: { payload } })
    const answers = [
      yield* verify("/v2/verify/bank", newSlip().payload),
      yield* verify("/v2/verify/bank", newSlip({ outcome: "not-found" }).payload, { "idempotency-key": "a" }),
      yield* call("GET", `/v1/verify?payload=${newSlip().payload}`, { key, headers }),
      yield* call("PUT", "/v2/webhook", { key, headers, body: { url: "https://shop.example/told" } }),
      yield* call("PATCH", `/admin/v1/branches/${id}`, { key: ADMIN_TOKEN, headers, body: { name: "Silom" } })
    ]
    const found = yield* trail("request=same")
    assert.deepStrictEqual(typesOf(found), [
      "SlipVerified",
      "RequestBegun",
      "VerificationFailed",
      "RequestRefused",
      "SlipVerified",
      "WebhookUrlSet",
      "BranchRenamed"
    ])
    for (const { clientRequestId } of found.data.events) assert.strictEqual(clientRequestId, "same")
    const requestIds = answers.map((answer) => answer.headers.get("x-request-id") ?? "")
    assert.deepStrictEqual([...new Set(found.data.events.map(({ requestId }) => requestId))], requestIds)
    assert.deepStrictEqual(typesOf(yield* trail(`request=${requestIds.at(-1)}`)), ["BranchRenamed"])
  })

  it.effect("returns only the request of the service's id, when another caller sends this id", function* () {
    const { call, verify } = yield* RunningService
    const victim = yield* newBranch
    const { headers } = yield* verify(victim.apiKey, newSlip().payload)
    const requestId = headers.get("x-request-id") ?? ""
    const { apiKey: key } = yield* newBranch
    const attack = yield* call("POST", "/v2/verify/bank", {
      key,
      headers: { "x-request-id": requestId },
      body: { payload: newSlip().payload }
    })
    assert.notStrictEqual(attack.headers.get("x-request-id"), requestId)
    const { data: { events } } = yield* trail(`request=${requestId}`)
    assert.deepStrictEqual(events.map(({ actor }) => actor.id), [victim.id])
  })

  it.effect("rejects unknown request ids and invalid parameters", function* () {
    const unknown = "There are no events about it, or none up to that time"
    assertFailure(yield* trail("request=unknown"), 404, "NOT_FOUND", unknown)
    const { verify } = yield* RunningService
    const { apiKey } = yield* newBranch
    const { headers } = yield* verify(apiKey, newSlip().payload)
    const request = `request=${headers.get("x-request-id")}`
    assertFailure(yield* trail(`${request}&at=2020-01-01`), 404, "NOT_FOUND", unknown)
    assertInvalid(yield* trail(`${request}&reveal=true`), "reveal")
    assertInvalid(yield* trail(`${request}&slip=004:A`), "")
    for (const wrong of ["", "a%20b", "x".repeat(65)]) assertInvalid(yield* trail(`request=${wrong}`), "request")
  })
})
