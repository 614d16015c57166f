import { assert, describe, it } from "@effect/vitest"
import type { BranchEvent } from "../../../domain/branch.ts"
import type { DisclosureEvent } from "../../../domain/disclosure.ts"
import type { ErasureEvent } from "../../../domain/erasure.ts"
import { branches, disclosures, erasures, requests, streamOf } from "../../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../../domain/events/recorded-event.ts"
import type { RequestEvent } from "../../../domain/idempotency-key.ts"
import { ofClientRequest, trailIndexProjection, trailSets } from "../../../projections/models/trail-index.ts"
import { callbackEvent, jobEvent, projected, recorded, slipEvent, verificationEvent } from "../given-events.ts"
import { enqueued, succeeded, time } from "../job-fixtures.ts"
import { verificationFailed, verifiedAgain } from "../verification-fixtures.ts"

const at = "2026-11-21T08:45:00.000Z"
const score = Date.parse(at)
const { related } = trailSets

const request = (event: RequestEvent) => recorded(streamOf.request("d-1"), requests, event, event.at)
const reveal = (event: DisclosureEvent) => recorded(streamOf.disclosure(event.revealId), disclosures, event, event.at)

const begun: RequestEvent = { _tag: "RequestBegun", branchId: "silom", fingerprint: "f", subjectId: "v-1", at }

describe("related events of a verification", () => {
  it("are found by the id of the verification, for any end of the request", () => {
    const refused: RequestEvent = { _tag: "RequestRefused", subjectId: "v-1", code: "SLIP_NOT_FOUND", message: "", at }
    const released: RequestEvent = { _tag: "RequestReleased", subjectId: "v-1", at }
    for (const end of [[], [refused], [released]]) {
      const { members, sets } = projected(trailIndexProjection, ...[begun, ...end].map(request))
      assert.deepStrictEqual(members(related("v-1")), { "request-d-1 0": score })
      assert.deepStrictEqual(sets, [related("v-1").set, trailSets.requests.set])
    }
  })

  it("are found by the disclosed subject, and by the branch of an export", () => {
    const disclosure = { _tag: "PersonalDataRevealed", by: "somchai", command: "c", from: null, to: null, at } as const
    const { members, sets } = projected(
      trailIndexProjection,
      reveal({ ...disclosure, revealId: "r-1", branchId: null, subject: { kind: "slip", id: "digest" } }),
      reveal({ ...disclosure, revealId: "r-2", branchId: "silom", subject: null }),
      reveal({ ...disclosure, revealId: "r-3", branchId: null, subject: null })
    )
    assert.deepStrictEqual(members(related("digest")), { "reveal-r-1 0": score })
    assert.deepStrictEqual(members(related("silom")), { "reveal-r-2 0": score })
    assert.lengthOf(sets, 3)
  })
})

const withRequestId = (requestId: string, event: RecordedEvent, clientRequestId?: string): RecordedEvent => ({
  ...event,
  metadata: {
    ...event.metadata,
    correlationId: requestId,
    ...(clientRequestId === undefined ? {} : { clientRequestId })
  }
})

describe("the events of a request", () => {
  const renamed: BranchEvent = { _tag: "BranchRenamed", name: "Silom" }
  const forgotten: ErasureEvent = { _tag: "PersonalDataForgotten", slipDigest: "digest", jobIds: [], reason: null, at }

  it("are found by its id, in every stream and for every caller", () => {
    const { members } = projected(
      trailIndexProjection,
      withRequestId("r-1", slipEvent(verifiedAgain)),
      withRequestId("r-1", verificationEvent(verificationFailed)),
      withRequestId("r-1", request(begun)),
      withRequestId("r-2", recorded(streamOf.branch("silom"), branches, renamed, at)),
      withRequestId("r-2", recorded(streamOf.erasure("digest"), erasures, forgotten, at)),
      withRequestId("R-2", slipEvent(verifiedAgain))
    )
    assert.sameMembers(Object.keys(members(trailSets.requests)), [
      "r-1 slip-s-1-digest 0",
      "r-1 verification-v-3 0",
      "r-1 request-d-1 0",
      "r-2 branch-silom 0",
      "r-2 forgotten-digest 0",
      "R-2 slip-s-1-digest 0"
    ])
  })

  it("are found by the caller's id, which leads to the request once", () => {
    const { members } = projected(
      trailIndexProjection,
      withRequestId("r-1", slipEvent(verifiedAgain), "order-7"),
      withRequestId("r-1", request(begun), "order-7"),
      withRequestId("r-2", slipEvent(verifiedAgain), "order-7"),
      withRequestId("r-3", slipEvent(verifiedAgain)),
      withRequestId("r-1", jobEvent(succeeded))
    )
    assert.deepStrictEqual(members(trailSets.clientRequests), {
      [ofClientRequest("order-7", "r-1")]: 0,
      [ofClientRequest("order-7", "r-2")]: 0
    })
  })

  it("include its job once, and a callback whose redelivery it requested", () => {
    const { jobId } = enqueued
    const callback = { jobId, branchId: "silom", host: "shop.example", at: time.requested } as const
    const { members } = projected(
      trailIndexProjection,
      withRequestId("r-1", jobEvent(enqueued)),
      withRequestId("r-1", jobEvent(succeeded)),
      withRequestId("r-1", callbackEvent({ _tag: "CallbackSent", ...callback, attempt: 1 })),
      withRequestId(
        "r-2",
        callbackEvent({ _tag: "CallbackRedeliveryRequested", ...callback, nextAttemptAt: time.requested })
      )
    )
    assert.deepStrictEqual(members(trailSets.requests), {
      [`r-1 ${streamOf.job(jobId)} 0`]: 0,
      [`r-2 ${streamOf.callback(jobId)} 0`]: 0
    })
  })
})
