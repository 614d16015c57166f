import { assert, describe, it } from "@effect/vitest"
import type { RecordedEvent } from "../../../../domain/events/recorded-event.ts"
import { attemptsIn, clustersOf } from "../../../../infrastructure/web/console/trail/clusters.ts"
import { branchActor } from "../../../../domain/actor.ts"
import { recordedEvent } from "../../../support/event-fixtures.ts"

let commit = 0n

const event = (stream: string, type: string, correlationId: string, branch = "b1"): RecordedEvent => {
  commit += 1n
  const metadata = { actor: branchActor(branch), correlationId }
  return recordedEvent(type, {}, { id: `${commit}`, stream, position: { commit, prepare: commit }, metadata })
}

const outline = (events: ReadonlyArray<RecordedEvent>) =>
  clustersOf(events).map((cluster) => cluster.map(({ type }) => type).join(" "))

describe("the clusters of a trail", () => {
  it("are the steps of a request, in the order of their first events", () => {
    const events = [
      event("job-1", "VerificationEnqueued", "r1"),
      event("slip-s-1", "SlipVerified", "r1"),
      event("job-1", "JobSucceeded", "r1"),
      event("callback-1", "CallbackSent", "r1"),
      event("callback-1", "CallbackDelivered", "r1"),
      event("callback-1", "CallbackRedeliveryRequested", "r2"),
      event("callback-1", "CallbackSent", "r2")
    ]
    assert.deepStrictEqual(outline(events), [
      "VerificationEnqueued JobSucceeded",
      "SlipVerified",
      "CallbackSent CallbackDelivered",
      "CallbackRedeliveryRequested CallbackSent"
    ])
  })

  it("join single events of one kind and one shop, and keep other shops apart", () => {
    const events = [
      event("slip-s-1", "SlipVerified", "r1"),
      event("slip-s-1", "SlipVerifiedAgain", "r2"),
      event("slip-s-1", "SlipVerifiedAgain", "r3", "b2"),
      event("slip-s-1", "SlipVerifiedAgain", "r4")
    ]
    assert.deepStrictEqual(outline(events), [
      "SlipVerified",
      "SlipVerifiedAgain SlipVerifiedAgain",
      "SlipVerifiedAgain"
    ])
  })

  it("count attempts and failures", () => {
    const types = ["CallbackSent", "CallbackAttemptFailed", "CallbackSent", "CallbackRejected", "CallbackSent"]
    const [cluster] = clustersOf(types.map((type) => event("callback-1", type, "r1")))
    assert.deepStrictEqual(cluster && attemptsIn(cluster), { attempts: 3, failed: 2 })
    const [steps] = clustersOf([event("branch-1", "QuotaSet", "r1"), event("branch-1", "BranchCreated", "r1")])
    assert.isUndefined(steps && attemptsIn(steps))
  })
})
