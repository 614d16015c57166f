import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { EventStore } from "../../ports/event-store.ts"
import { deliveredEvents, endJob } from "../infrastructure/cli/given-jobs.ts"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { RunningService } from "../support/service.ts"
import { type Trail, trail } from "./ask-trail.ts"
import { assertFailure, assertInvalid } from "./assert-answer.ts"
import { layerShop, Shop } from "./given-shop-with-receiver.ts"

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"

/** Verifies a slip with an idempotency key and a remark. */
const verifiedSlip = Effect.gen(function* () {
  const { call } = yield* RunningService
  const { key } = yield* Shop
  const slip = newSlip()
  const { data } = yield* call<{ readonly verificationId: string }>("POST", "/v2/verify/bank", {
    key,
    headers: { "idempotency-key": slip.transRef },
    body: { payload: slip.payload, remark: "โต๊ะ 7", matchAmount: 100 }
  })
  const ofSlip = `slip=${slip.sendingBank}:${slip.transRef}`
  // The trail is found through read models, which catch up shortly after.
  yield* eventually(trail(ofSlip), ({ status }) => status === 200)
  return { slip, ofSlip, verificationId: data.verificationId }
})

const typesOf = ({ data: { events } }: { readonly data: Trail }) => events.map(({ type }) => type)

layer(layerShop, { excludeTestServices: true })("the admin API over the trail", (it) => {
  it.effect("checks the token before anything else", () =>
    Effect.gen(function* () {
      const { call } = yield* RunningService
      const { key } = yield* Shop
      const path = `/admin/v1/trail?job=${UNKNOWN_ID}&reveal=true`
      assertFailure(yield* call("GET", path), 401, "MISSING_API_KEY", "Authorization header is required")
      assertFailure(yield* call("GET", path, { key }), 401, "INVALID_API_KEY", "The admin token is invalid")
    }))

  it.effect("returns the events and the state of a slip, with sealed data still sealed", () =>
    Effect.gen(function* () {
      const { branchId } = yield* Shop
      const { ofSlip, slip, verificationId } = yield* verifiedSlip
      const { data, message, status, text } = yield* trail(ofSlip)
      assert.deepStrictEqual([status, message, data.truncated], [200, "Trail", false])
      const [, event] = data.events
      assert.deepStrictEqual(data.events.map(({ type }) => type), ["RequestBegun", "SlipVerified"])
      assert.deepStrictEqual(Object.keys(event ?? {}), [
        "position",
        "stream",
        "revision",
        "type",
        "at",
        "actor",
        "requestId",
        "clientRequestId",
        "data"
      ])
      assert.deepInclude(event, { revision: 0, actor: { kind: "branch", id: branchId } })
      assert.match(event?.position ?? "", /^\d+\/\d+$/u)
      assert.hasAllKeys(event?.data["transfer"], ["k", "n", "c"])
      assert.deepNestedInclude(data.state, {
        kind: "slip",
        "services[0].firstVerificationId": verificationId,
        "services[0].amount": 100,
        "services[0].times": 1
      })
      for (const secret of [slip.transRef, slip.payload, "โต๊ะ 7"]) assert.notInclude(text, secret)
    }))

  it.effect("returns it in pages, and the state with the first one", () =>
    Effect.gen(function* () {
      const { ofSlip } = yield* verifiedSlip
      const first = yield* trail(`${ofSlip}&limit=1`)
      assert.deepStrictEqual([first.data.truncated, first.message], [
        true,
        "Trail, incomplete: the next page has more events"
      ])
      assert.isNotNull(first.data.state)
      const rest = yield* trail(`${ofSlip}&limit=500&cursor=${encodeURIComponent(first.data.nextCursor ?? "")}`)
      assert.deepStrictEqual([...typesOf(first), ...typesOf(rest)].sort(), ["RequestBegun", "SlipVerified"])
      assert.deepInclude(rest.data, { truncated: false, nextCursor: null, state: null })
      for (const wrong of ["limit=501", "cursor=x", "cursor=0.x"]) {
        assertFailure(yield* trail(`${ofSlip}&${wrong}`), 400, "VALIDATION_ERROR", "Validation failed")
      }
    }))

  it.effect("returns it by job, verification and branch, with ids in upper or lower case", () =>
    Effect.gen(function* () {
      const { branchId, key, receiver } = yield* Shop
      receiver.answers(200)
      const jobId = yield* endJob(key, { payload: newSlip().payload, callbackUrl: `${receiver.url}?token=t0k3n` })
      const ofJob = yield* eventually(trail(`job=${jobId.toUpperCase()}`), ({ status }) => status === 200)
      assert.deepStrictEqual(typesOf(ofJob), deliveredEvents)
      assert.deepNestedInclude(ofJob.data.state, { kind: "job", status: "success", "callback.state": "delivered" })
      assert.notInclude(ofJob.text, "t0k3n")
      const ofVerification = yield* trail(`verification=${jobId}`)
      assert.deepStrictEqual(typesOf(ofVerification), deliveredEvents)
      assert.deepNestedInclude(ofVerification.data.state, { kind: "verification", "verdict.verdict": "first" })
      const ofBranch = yield* trail(`branch=${branchId}`)
      assert.includeMembers([...typesOf(ofBranch)], ["BranchCreated", ...deliveredEvents])
      assert.deepNestedInclude(ofBranch.data.state, { kind: "branch", branchId, "quota.max": null })
    }))

  it.effect("returns the state at a moment", () =>
    Effect.gen(function* () {
      const { key, receiver } = yield* Shop
      const jobId = yield* endJob(key, { payload: newSlip().payload, callbackUrl: receiver.url })
      const { data } = yield* eventually(trail(`job=${jobId}`), ({ status }) => status === 200)
      const [accepted] = data.events
      const at = encodeURIComponent(accepted?.at ?? "")
      const then = yield* trail(`job=${jobId}&at=${at}`)
      assert.deepInclude(then.data.state, { kind: "job", status: "pending", attempts: 0 })
      assert.isTrue(then.data.events.every((event) => event.at <= (accepted?.at ?? "")))
      assertFailure(
        yield* trail(`job=${jobId}&at=2020-01-01`),
        404,
        "NOT_FOUND",
        "There are no events about it, or none up to that time"
      )
      // An unescaped plus sign is a space in a query.
      for (const late of ["2099-01-01T07:00:00+07:00", "2099-01-01%2007:00", "2099-01-01"]) {
        assert.lengthOf((yield* trail(`job=${jobId}&at=${late}`)).data.events, data.events.length)
      }
    }))

  it.effect("discloses personal data on request, after recording the disclosure", () =>
    Effect.gen(function* () {
      const { ofSlip, slip } = yield* verifiedSlip
      const { data } = yield* trail(`${ofSlip}&reveal=true`)
      const event = data.events.find(({ type }) => type === "SlipVerified")
      assert.deepNestedInclude(event?.data, { remark: "โต๊ะ 7", "transfer.transRef": slip.transRef })
      assert.notInclude(data.events.map(({ type }) => type), "PersonalDataRevealed")

      const sealedAnswer = yield* eventually(trail(`${ofSlip}&reveal=false`), (found) =>
        typesOf(found).includes("PersonalDataRevealed"))
      const disclosure = sealedAnswer.data.events.at(-1)
      assert.deepInclude(disclosure?.data, {
        by: "admin-api",
        command: "GET /admin/v1/trail",
        branchId: null,
        from: null,
        to: null
      })
      assert.deepInclude(disclosure, { actor: { kind: "admin", id: "api" } })
      assert.notInclude(sealedAnswer.text, slip.transRef)
    }))

  it.effect("records no disclosure for unknown subjects", () =>
    Effect.gen(function* () {
      const { head } = yield* EventStore
      const before = yield* head
      for (
        const query of [`job=${UNKNOWN_ID}`, "slip=004:NOTHING", `verification=${UNKNOWN_ID}`, `branch=${UNKNOWN_ID}`]
      ) {
        const answer = yield* trail(`${query}&reveal=true`)
        assertFailure(answer, 404, "NOT_FOUND", "There are no events about it, or none up to that time")
      }
      const after = yield* head
      const events = yield* (yield* EventStore).readAll({ after: before, limit: 100 })
      assert.deepStrictEqual(events.filter(({ type }) => type === "PersonalDataRevealed"), [], `${after.commit}`)
    }))

  it.effect("requires exactly one subject, in a valid form", () =>
    Effect.gen(function* () {
      for (
        const query of [
          "",
          "at=2026-11-21",
          `job=${UNKNOWN_ID}&branch=${UNKNOWN_ID}`,
          `slip=004:A&verification=${UNKNOWN_ID}`
        ]
      ) {
        assertInvalid(yield* trail(query), "")
      }
      const wrong = [
        ["job", "job=x"],
        ["verification", "verification="],
        ["branch", "branch=1"],
        ["slip", "slip=004"],
        ["slip", "slip=:A"],
        ["slip", "slip=004:A:B"],
        ["at", `job=${UNKNOWN_ID}&at=yesterday`],
        ["at", `job=${UNKNOWN_ID}&at=2026-02-30`],
        ["reveal", `job=${UNKNOWN_ID}&reveal=1`]
      ] as const
      for (const [field, query] of wrong) assertInvalid(yield* trail(query), field)
    }))
})
