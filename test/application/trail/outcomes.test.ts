import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { eventOfVerification, outcomeOf } from "../../../application/trail/outcomes.ts"
import { newSlip } from "../../support/client.ts"
import { branchId, endedJobId, givenEndedJob, givenJob, jobId, time } from "../given-history.ts"
import { enqueueAndFail, ids, projected } from "../given-trail.ts"
import { live } from "../given-application.ts"

const outcomeOfVerification = (id: string) =>
  Effect.map(eventOfVerification(id), (event) => event === undefined ? undefined : outcomeOf(event))

describe("the outcome of a job", () => {
  live("is that of its slip, or that of its end without one", function* () {
    yield* givenJob(newSlip())
    yield* givenEndedJob
    yield* projected
    assert.deepInclude(yield* outcomeOfVerification(jobId), { verdict: "first", at: time(2), branchId })
    assert.deepInclude(yield* outcomeOfVerification(endedJobId.toUpperCase()), {
      verificationId: endedJobId,
      verdict: "failed",
      code: "SLIP_NOT_FOUND",
      at: time(8),
      branchId
    })
  })

  live("is unknown while it is open", function* () {
    const open = ids[5] ?? ""
    yield* enqueueAndFail(open, newSlip(), branchId)
    yield* projected
    assert.isUndefined(yield* outcomeOfVerification(open))
  })
})
