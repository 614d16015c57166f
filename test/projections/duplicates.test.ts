import { assert, describe, it } from "@effect/vitest"
import { requests, reveals, streamOf } from "../../application/aggregates.ts"
import { duplicatesSets } from "../../application/models/duplicates.ts"
import type { RequestEvent } from "../../domain/request.ts"
import type { RevealEvent } from "../../domain/reveal.ts"
import { duplicatesProjection } from "../../projections/duplicates.ts"
import { projected, recorded } from "./given-events.ts"

const at = "2026-11-21T08:45:00.000Z"
const score = Date.parse(at)
const { around } = duplicatesSets

const request = (event: RequestEvent) => recorded(streamOf.request("d-1"), requests, event, event.at)
const reveal = (event: RevealEvent) => recorded(streamOf.reveal(event.revealId), reveals, event, event.at)

const begun: RequestEvent = { _tag: "RequestBegun", branchId: "silom", fingerprint: "f", subjectId: "v-1", at }

describe("what happened around a verification", () => {
  it("is found by the id that a request led to, however it ended", () => {
    const refused: RequestEvent = { _tag: "RequestRefused", subjectId: "v-1", code: "SLIP_NOT_FOUND", message: "", at }
    const released: RequestEvent = { _tag: "RequestReleased", subjectId: "v-1", at }
    for (const end of [[], [refused], [released]]) {
      const { members, sets } = projected(duplicatesProjection, ...[begun, ...end].map(request))
      assert.deepStrictEqual(members(around("v-1")), { "request-d-1": score })
      assert.deepStrictEqual(sets, [around("v-1")])
    }
  })

  it("is found by whose data was looked at, and by the branch of an export", () => {
    const look = { _tag: "PersonalDataRevealed", by: "somchai", command: "c", from: null, to: null, at } as const
    const { members, sets } = projected(
      duplicatesProjection,
      reveal({ ...look, revealId: "r-1", branchId: null, subject: { kind: "slip", id: "digest" } }),
      reveal({ ...look, revealId: "r-2", branchId: "silom", subject: null }),
      reveal({ ...look, revealId: "r-3", branchId: null, subject: null })
    )
    assert.deepStrictEqual(members(around("digest")), { "reveal-r-1": score })
    assert.deepStrictEqual(members(around("silom")), { "reveal-r-2": score })
    assert.lengthOf(sets, 2)
  })
})
