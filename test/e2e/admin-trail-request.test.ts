import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { type Trail, trail } from "./ask-trail.ts"
import { assertFailure, assertInvalid } from "./assert-answer.ts"

const typesOf = ({ data }: { readonly data: Trail }) => data.events.map(({ type }) => type)

const newKey = Effect.gen(function* () {
  const { mainBranch } = yield* (yield* RunningService).createService()
  return mainBranch
})

layer(layerRunningService(), { excludeTestServices: true })("the admin API over the trail of a request", (it) => {
  it.effect("tells what it led to, as soon as it was answered; a request is nothing that has a state", () =>
    Effect.gen(function* () {
      const { verify } = yield* RunningService
      const { apiKey } = yield* newKey
      const { data: { verificationId }, headers } = yield* verify(apiKey, newSlip().payload)
      const told = yield* trail(`request=${headers.get("x-request-id")}`)
      assert.deepStrictEqual([told.status, told.message, told.data.truncated, told.data.state], [
        200,
        "Trail",
        false,
        null
      ])
      assert.deepStrictEqual(typesOf(told), ["SlipVerified"])
      assert.strictEqual(told.data.events[0]?.data["verificationId"], verificationId)
    }))

  it.effect("tells the whole course of a batch, whose jobs go on after it was answered", () =>
    Effect.gen(function* () {
      const { call } = yield* RunningService
      const { apiKey: key } = yield* newKey
      const headers = { "x-request-id": "batch:42" }
      const body = { slips: [{ payload: newSlip().payload }, { payload: newSlip({ outcome: "not-found" }).payload }] }
      assert.strictEqual((yield* call("POST", "/v2/verify/bank/batch", { key, headers, body })).status, 202)
      const told = yield* eventually(trail("request=batch:42"), (found) =>
        typesOf(found).includes("JobSucceeded")
        && typesOf(found).includes("VerificationAttemptFailed"))
      assert.includeMembers(typesOf(told), [
        "VerificationEnqueued",
        "VerificationEnqueued",
        "SlipVerified",
        "JobSucceeded"
      ])
      assert.lengthOf(typesOf(told).filter((type) => type === "VerificationEnqueued"), 2)
    }))

  it.effect("tells several requests to which a caller gave one id, and what operators did", () =>
    Effect.gen(function* () {
      const { admin, call } = yield* RunningService
      const { apiKey: key, id } = yield* newKey
      const headers = { "x-request-id": "same" }
      for (const slip of [newSlip(), newSlip()]) {
        yield* call("POST", "/v2/verify/bank", { key, headers, body: { payload: slip.payload } })
      }
      assert.deepStrictEqual(typesOf(yield* trail("request=same")), ["SlipVerified", "SlipVerified"])
      const renamed = yield* admin("PATCH", `/branches/${id}`, { name: "Silom" })
      assert.deepStrictEqual(typesOf(yield* trail(`request=${renamed.headers.get("x-request-id")}`)), ["BranchRenamed"])
    }))

  it.effect("has nothing of a request that led to nothing, and opens nothing", () =>
    Effect.gen(function* () {
      const unknown = "There are no events about it, or none up to that time"
      assertFailure(yield* trail("request=nobody"), 404, "NOT_FOUND", unknown)
      const { verify } = yield* RunningService
      const { apiKey } = yield* newKey
      const { headers } = yield* verify(apiKey, newSlip().payload)
      const request = `request=${headers.get("x-request-id")}`
      assertFailure(yield* trail(`${request}&at=2020-01-01`), 404, "NOT_FOUND", unknown)
      assertInvalid(yield* trail(`${request}&reveal=true`), "reveal")
      assertInvalid(yield* trail(`${request}&slip=004:A`), "")
      for (const wrong of ["", "a%20b", "x".repeat(65)]) assertInvalid(yield* trail(`request=${wrong}`), "request")
    }))
})
