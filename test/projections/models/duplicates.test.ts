import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { beginning, type RecordedEvent } from "../../../domain/events/recorded-event.ts"
import { streamOf } from "../../../domain/events/aggregates.ts"
import { ReadModels } from "../../../ports/read-models.ts"
import { modelName } from "../../../projections/engine/model-name.ts"
import {
  duplicatesModel,
  duplicatesProjection,
  failuresOfSlip,
  laterHolders,
  memberOfSlip,
  placeOfVerification,
  streamsOfSlip
} from "../../../projections/models/duplicates.ts"
import { projected, slipEvent, verificationEvent } from "../given-events.ts"
import { layerTemporaryReadModels } from "../../support/temporary-read-models.ts"
import { verificationFailed, verifiedAgain } from "../verification-fixtures.ts"

const test = it.effect.with(() => layerTemporaryReadModels)

const score = Date.parse(verifiedAgain.at)

const again = slipEvent(verifiedAgain)
const failed = (slipDigest: string | null) => verificationEvent({ ...verificationFailed, slipDigest })

describe("the read model duplicates", () => {
  it("has the stream of each verification", () => {
    const { members } = projected(duplicatesProjection, again, failed(null))
    assert.deepStrictEqual(members({ set: "verifications" }), {
      "v-2 slip-s-1-digest 0": 0,
      "v-3 verification-v-3 0": 0
    })
  })

  it("has the services of a slip, and the streams of its failed verifications", () => {
    const { members } = projected(duplicatesProjection, again, failed("digest"))
    const { member, set } = memberOfSlip({ slipDigest: "digest", stream: "slip-s-1-digest" })
    assert.deepStrictEqual(members({ set }), { [member]: 0 })
    assert.deepStrictEqual(members(failuresOfSlip("digest")), { "verification-v-3": score })
  })

  it("has the branches that were charged for the slip of another branch", () => {
    const free = slipEvent({ ...verifiedAgain, verificationId: "v-4", charged: false })
    const { members } = projected(duplicatesProjection, again, free)
    assert.deepStrictEqual(members(laterHolders("slip-s-1-digest")), { silom: 0 })
    assert.deepStrictEqual(projected(duplicatesProjection, free).members(laterHolders("slip-s-1-digest")), {})
  })

  it("has no stream of a slip for a verification that read no slip", () => {
    assert.deepStrictEqual(projected(duplicatesProjection, failed(null)).sets, ["verifications"])
  })

  test("finds a verification by its whole id only", function* () {
    yield* project(slipEvent(verifiedAgain))
    assert.deepStrictEqual(yield* placeOfVerification("v-2"), { stream: "slip-s-1-digest", revision: 0 })
    for (const unknown of ["v-", "v-2 slip-s-1-digest", "v-3", ""]) {
      assert.isUndefined(yield* placeOfVerification(unknown))
    }
  })

  test("finds the streams of a slip in any number of services, and no other slip", function* () {
    const services = Array.from({ length: 45 }, (_, index) => `service-${index}`).sort()
    const inService = (service: string, digest: string) => ({
      ...slipEvent(verifiedAgain),
      stream: streamOf.slip(service, digest)
    })
    yield* project(
      ...services.map((service) => inService(service, "b1")),
      inService("service-1", "b"),
      inService("service-1", "b10"),
      inService("service-1", "c")
    )
    const streams = services.map((service) => streamOf.slip(service, "b1"))
    assert.deepStrictEqual(yield* streamsOfSlip("b1"), streams)
    assert.deepStrictEqual(yield* streamsOfSlip("b1", 30), streams.slice(0, 30))
    assert.deepStrictEqual(yield* streamsOfSlip("b2"), [])
  })
})

/** Projects events into the read model. */
const project = Effect.fnUntraced(function* (...events: ReadonlyArray<RecordedEvent>) {
  const writes = events.flatMap(duplicatesProjection.when)
  const upTo = { commit: 1n, prepare: 1n }
  yield* (yield* ReadModels).apply(modelName(duplicatesModel), { after: beginning, upTo, writes })
})
