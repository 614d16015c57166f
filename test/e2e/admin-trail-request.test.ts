import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { type Trail, trail } from "./ask-trail.ts"
import { assertFailure, assertInvalid } from "./assert-answer.ts"

const typesOf = ({ data }: { readonly data: Trail }) => data.events.map(({ type }) => type)

const newBranch = Effect.gen(function* () {
  const { mainBranch } = yield* (yield* RunningService).createService()
  return mainBranch
})

layer(layerRunningService(), { excludeTestServices: true })("the admin API over the trail of a request", (it) => {
  it.effect("returns the events of a request as soon as it is answered, without a state", () =>
    Effect.gen(function* () {
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
    }))

  it.effect("returns all events of a batch, including those of its jobs after the answer", () =>
    Effect.gen(function* () {
      const { call } = yield* RunningService
      const { apiKey: key } = yield* newBranch
      const headers = { "x-request-id": "batch:42" }
      const body = { slips: [{ payload: newSlip().payload }, { payload: newSlip({ outcome: "not-found" }).payload }] }
      assert.strictEqual((yield* call("POST", "/v2/verify/bank/batch", { key, headers, body })).status, 202)
      const answer = yield* eventually(trail("request=batch:42"), (found) =>
        typesOf(found).includes("JobSucceeded")
        && typesOf(found).includes("VerificationAttemptFailed"))
      assert.includeMembers(typesOf(answer), [
        "VerificationEnqueued",
        "VerificationEnqueued",
        "SlipVerified",
        "JobSucceeded"
      ])
      assert.lengthOf(typesOf(answer).filter((type) => type === "VerificationEnqueued"), 2)
    }))

  it.effect("returns the events of all requests with the same id, and of admin requests", () =>
    Effect.gen(function* () {
      const { admin, call } = yield* RunningService
      const { apiKey: key, id } = yield* newBranch
      const headers = { "x-request-id": "same" }
      for (const slip of [newSlip(), newSlip()]) {
        yield* call("POST", "/v2/verify/bank", { key, headers, body: { payload: slip.payload } })
      }
      assert.deepStrictEqual(typesOf(yield* trail("request=same")), ["SlipVerified", "SlipVerified"])
      const renamed = yield* admin("PATCH", `/branches/${id}`, { name: "Silom" })
      assert.deepStrictEqual(typesOf(yield* trail(`request=${renamed.headers.get("x-request-id")}`)), ["BranchRenamed"])
    }))

  it.effect("rejects unknown request ids and invalid parameters", () =>
    Effect.gen(function* () {
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
    }))
})
