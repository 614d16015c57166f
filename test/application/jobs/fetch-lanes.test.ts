import { assert, describe, it } from "../../support/it.ts"
import { Clock, Effect } from "effect"
import { SlipUnknown } from "../../../application/verification/ask-bank.ts"
import { AttemptFailed } from "../../../application/verification/verify-slip.ts"
import { until } from "../../support/advance-clock.ts"
import { givenWorkers } from "../processes/given-worker.ts"

const slow = (jobId: string) => ({ branchId: jobId.split("-")[0] ?? "", source: { url: "https://slow.example/1.png" } })

const unknownSlip = Effect.fail(
  new AttemptFailed({ failure: new SlipUnknown({ reason: "unknown-bank", asked: null }), slipDigest: "d1" })
)

/** Three branches with a hundred jobs each, whose pictures never arrive. */
const givenSlowPictures = Effect.gen(function* () {
  const fixture = yield* givenWorkers
  fixture.stubs.attempt = ({ source }) =>
    source._tag === "ImageUrl" && source.url.includes("slow") ? Effect.never : unknownSlip
  for (const branchId of ["slow1", "slow2", "slow3"]) {
    for (let index = 0; index < 100; index++) {
      const jobId = `${branchId}-${index}`
      yield* fixture.enqueue(jobId, { callbackUrl: null, ...slow(jobId) })
    }
  }
  yield* fixture.start()
  const fetching = (branchId: string) => fixture.attempts.filter((attempt) => attempt.branchId === branchId).length
  yield* until(Effect.sync(() => ["slow1", "slow2", "slow3"].every((branchId) => fetching(branchId) > 0)))
  return { ...fixture, fetching }
})

describe("jobs with the URL of a picture", () => {
  it.effect("do not hold up the jobs of other branches while their pictures do not arrive", function* () {
    const { enqueue, eventTypes, inside } = yield* givenSlowPictures
    const jobIds = Array.from({ length: 40 }, (_, index) => `other-${index}`)
    const before = yield* Clock.currentTimeMillis

    for (const [index, jobId] of jobIds.entries()) {
      const source = index % 2 === 0 ? { payload: "0041…" } : { url: "https://quick.example/1.png" }
      yield* enqueue(jobId, { branchId: "other", callbackUrl: null, source })
    }
    for (const jobId of jobIds) {
      yield* until(Effect.map(eventTypes(`job-${jobId}`), (types) => types.at(-1) === "JobNotFound"))
    }

    // Shorter than the time that a picture may take to arrive.
    assert.isBelow((yield* inside(Clock.currentTimeMillis)) - before, 10_000)
  })

  it.effect("run at most eight at a time for each branch", function* () {
    const { fetching, enqueue, eventTypes } = yield* givenSlowPictures
    yield* enqueue("other-1", { branchId: "other", callbackUrl: null })
    yield* until(Effect.map(eventTypes("job-other-1"), (types) => types.at(-1) === "JobNotFound"))
    assert.deepStrictEqual(["slow1", "slow2", "slow3"].map(fetching), [8, 8, 8])
  })
})
