import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { EventStore } from "../../ports/event-store.ts"
import { deliveredEvents, endJob } from "../infrastructure/commands/cli/given-jobs.ts"
import { receivers } from "../../infrastructure/adapters/banks/sandbox/receivers.ts"
import { newSlip, type Verified } from "../support/client.ts"
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

interface Policy {
  readonly version: number | null
}

const typesOf = ({ data: { events } }: { readonly data: Trail }) => events.map(({ type }) => type)

layer.live(layerShop)("the admin API over the trail", (it) => {
  it.effect("checks the token before anything else", function* () {
    const { call } = yield* RunningService
    const { key } = yield* Shop
    const path = `/admin/v1/trail?job=${UNKNOWN_ID}&reveal=true`
    assertFailure(yield* call("GET", path), 401, "MISSING_API_KEY", "Authorization header is required")
    assertFailure(yield* call("GET", path, { key }), 401, "INVALID_API_KEY", "The admin token is invalid")
  })

  it.effect("returns the events and the state of a slip, with sealed data still sealed", function* () {
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
  })

  it.effect("masks names and numbers, without a disclosure, and never together with reveal", function* () {
    const { ofSlip, slip } = yield* verifiedSlip
    const masked = yield* trail(`${ofSlip}&masked=true`)
    const [, event] = masked.data.events
    assert.notProperty(event?.data["transfer"], "c")
    assert.match(JSON.stringify(event?.data["transfer"]), /\*\*\*/u)
    for (const secret of [slip.transRef, slip.payload, "โต๊ะ 7"]) assert.notInclude(masked.text, secret)
    assert.deepStrictEqual(typesOf(yield* trail(ofSlip)), ["RequestBegun", "SlipVerified"])
    assert.hasAllKeys((yield* trail(`${ofSlip}&masked=false`)).data.events[1]?.data["transfer"], ["k", "n", "c"])
    for (const wrong of ["masked=true&reveal=true", "masked=yes"]) {
      assertFailure(yield* trail(`${ofSlip}&${wrong}`), 400, "VALIDATION_ERROR", "Validation failed")
    }
  })

  it.effect("returns it in pages, and the state with the first one", function* () {
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
  })

  it.effect("returns it by job, verification and branch, with ids in upper or lower case", function* () {
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
  })

  it.effect("returns the state at a moment", function* () {
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
  })

  it.effect("discloses personal data on request, after recording the disclosure", function* () {
    const { ofSlip, slip } = yield* verifiedSlip
    const { data } = yield* trail(`${ofSlip}&reveal=true`)
    const event = data.events.find(({ type }) => type === "SlipVerified")
    assert.deepNestedInclude(event?.data, { remark: "โต๊ะ 7", "transfer.transRef": slip.transRef })
    assert.notInclude(data.events.map(({ type }) => type), "PersonalDataRevealed")

    const sealedAnswer = yield* eventually(
      trail(`${ofSlip}&reveal=false`),
      (found) => typesOf(found).includes("PersonalDataRevealed")
    )
    const disclosure = sealedAnswer.data.events.at(-1)
    assert.deepInclude(disclosure?.data, {
      by: "ADMIN_TOKEN",
      command: "GET /admin/v1/trail",
      branchId: null,
      from: null,
      to: null
    })
    assert.deepInclude(disclosure, { actor: { kind: "admin", id: "api", operator: "ADMIN_TOKEN" } })
    assert.notInclude(sealedAnswer.text, slip.transRef)
  })

  it.effect("records no disclosure for unknown subjects", function* () {
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
  })

  it.effect("shows which version of a policy judged a slip, and a later version changes nothing recorded", function* () {
    const { admin, call, createService } = yield* RunningService
    const { mainBranch: { apiKey: key, id } } = yield* createService()
    const policy = `/branches/${id}/policy`
    assert.deepStrictEqual((yield* admin("GET", policy)).data, { version: null, conditions: null })
    const conditions = { amount: { atLeast: 100.01 } }
    assert.deepStrictEqual((yield* admin("PUT", policy, conditions)).data, { version: 1, conditions })

    const slip = newSlip()
    const verify = call<Verified>("POST", "/v2/verify/bank", {
      key,
      headers: { "idempotency-key": slip.transRef },
      body: { payload: slip.payload }
    })
    const first = yield* verify
    assert.deepInclude(first.data, { accepted: false, policyVersion: 1 })
    const [reason] = first.data.reasons ?? []
    assert.deepInclude(reason, { code: "amount_too_low", expected: 100.01, actual: 100 })

    assert.strictEqual((yield* admin<Policy>("PUT", policy, { amount: { atMost: 100 } })).data.version, 2)
    const replayed = yield* verify
    assert.deepStrictEqual(
      [replayed.text, replayed.headers.get("idempotent-replayed")],
      [first.text, "true"]
    )
    const other = yield* call<Verified>("POST", "/v2/verify/bank", { key, body: { payload: newSlip().payload } })
    assert.deepInclude(other.data, { accepted: true, reasons: [], policyVersion: 2 })

    const ofSlip = `slip=${slip.sendingBank}:${slip.transRef}`
    const { data: { events, state } } = yield* eventually(trail(ofSlip), ({ status }) => status === 200)
    const verified = events.find(({ type }) => type === "SlipVerified")
    assert.deepStrictEqual(verified?.data["acceptance"], {
      accepted: false,
      reasons: [{ code: "amount_too_low", expected: 100_01, actual: 100_00 }],
      conditions: { amount: { atLeast: 100_01 } },
      policyVersion: 1
    })
    const service = state?.kind === "slip" ? state.services[0] : undefined
    assert.deepInclude(service?.verifications[0]?.acceptance, { accepted: false, policyVersion: 1 })
    const ofBranch = yield* trail(`branch=${id}`)
    assert.deepInclude(ofBranch.data.state, { policy: { version: 2, conditions: { amount: { atMost: 100 } } } })

    for (let round = 0; round < 2; round++) {
      assert.deepStrictEqual((yield* admin("DELETE", policy)).data, { version: null, conditions: null })
    }
    const unjudged = yield* call<Verified>("POST", "/v2/verify/bank", { key, body: { payload: newSlip().payload } })
    for (const field of ["accepted", "reasons", "policyVersion"]) assert.notProperty(unjudged.data, field)
    assert.strictEqual((yield* admin<Policy>("PUT", policy, conditions)).data.version, 3)
    assertInvalid(yield* admin("PUT", policy, { amount: { equals: 1, atMost: 1 } }), "amount.equals")
    assertInvalid(yield* admin("PUT", policy, {}), "")
    assertInvalid(yield* admin("PUT", policy, { receivers: [] }), "receivers")
  })

  it.effect("has the conditions of a job, which its callback answers", function* () {
    const { call } = yield* RunningService
    const { key, receiver } = yield* Shop
    const [known] = receivers
    const own = known?.register ?? assert.fail("the sandbox bank has receivers")
    const conditions = {
      amount: { equals: 100 },
      receivers: [{ bankCode: own.bankCode, bankNumber: own.bankNumber, extraVerify: own.extraVerify ?? null }],
      duplicate: "allow"
    }
    const jobId = yield* endJob(key, {
      payload: newSlip({ receiver: 0 }).payload,
      callbackUrl: receiver.url,
      conditions
    })
    const { data } = yield* call<{ readonly data: Verified }>("GET", `/v2/verify/bank/jobs/${jobId}`, { key })
    assert.deepInclude(data.data, { accepted: true, reasons: [] }, JSON.stringify(data))
    const arrival = receiver.arrivals.find((arrival) => arrival.jobId === jobId)
    assert.deepInclude(JSON.parse(arrival?.body ?? "").data, { accepted: true, reasons: [] })

    const { text } = yield* eventually(trail(`job=${jobId}`), ({ status }) => status === 200)
    assert.include(text, '"receivers":"listed"')
    assert.notInclude(text, own.bankNumber)
    const revealed = yield* trail(`job=${jobId}&reveal=true`)
    assert.include(revealed.text, own.bankNumber.replaceAll("-", ""))
  })

  it.effect("requires exactly one subject, in a valid form", function* () {
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
  })
})
