import { assert, describe, it } from "../../support/it.ts"
import { Clock, Duration, Effect } from "effect"
import { SlipPending, SlipUnknown } from "../../../application/verification/ask-bank.ts"
import { AttemptFailed } from "../../../application/verification/verify-slip.ts"
import { jobs } from "../../../domain/events/aggregates.ts"
import { until } from "../../support/advance-clock.ts"
import { givenWorkers } from "../processes/given-worker.ts"

const asked = { gateway: "stub", gatewayMillis: 12, upstream: null, askedBefore: [] }
const unknown = new SlipUnknown({ reason: "not-found-upstream", asked })

/**
 * A job whose slip is pending until `pendingMillis` after its acceptance, and unknown from then on. Returns the events
 * of its attempts once it has ended.
 */
const attemptsOf = Effect.fnUntraced(function* (retrySeconds: ReadonlyArray<number>, pendingMillis: number) {
  const fixture = yield* givenWorkers
  const end = (yield* Clock.currentTimeMillis) + pendingMillis
  fixture.stubs.attempt = Effect.fnUntraced(function* () {
    const left = end - (yield* Clock.currentTimeMillis)
    const retryAfterSeconds = Math.ceil(Math.min(left, 3_600_000) / 1_000)
    const failure = left > 0 ? new SlipPending({ sendingBank: "002", retryAfterSeconds, asked }) : unknown
    return yield* new AttemptFailed({ failure, slipDigest: "d1" })
  })
  yield* fixture.start({ verifyRetries: retrySeconds.map(Duration.seconds) })
  yield* fixture.enqueue("j-1", { callbackUrl: null })
  yield* until(Effect.map(fixture.eventTypes("job-j-1"), (types) => types.at(-1) === "JobNotFound"))
  const events = (yield* fixture.store.readStream("job-j-1")).map(jobs.codec.decode)
  return events.filter((event) => event._tag === "VerificationAttemptFailed")
})

type Attempt = Effect.Success<ReturnType<typeof attemptsOf>>[number]

const delayAfter = ({ at, nextAttemptAt }: Attempt): number | null =>
  nextAttemptAt === null ? null : Date.parse(nextAttemptAt) - Date.parse(at)

const codeOf = ({ code }: Attempt): string => code

describe("the job of a pending slip", () => {
  it.effect("asks again on schedule and does not wait for the end of the pending window", function* () {
    // The proportions of the default settings: 30, 60, 120 and 240 seconds, and a window of five minutes.
    const attempts = yield* attemptsOf([3, 6, 12, 24], 30_000)
    assert.deepStrictEqual(attempts.map(delayAfter), [3_000, 6_000, 12_000, 24_000, null])
    assert.deepStrictEqual(attempts.map(codeOf), [
      ...Array.from({ length: 4 }, () => "SLIP_PENDING"),
      "SLIP_NOT_FOUND"
    ])
  })

  it.effect("asks once more after a pending window that is longer than the schedule", function* () {
    const attempts = yield* attemptsOf([3, 6], 60_000)
    assert.deepStrictEqual(attempts.map(codeOf), ["SLIP_PENDING", "SLIP_PENDING", "SLIP_PENDING", "SLIP_NOT_FOUND"])
    assert.deepStrictEqual(attempts.slice(0, 2).map(delayAfter), [3_000, 6_000])
    const [first, , third] = attempts
    const windowEnd = Date.parse(first?.at ?? "") + 60_000
    assert.closeTo(Date.parse(third?.nextAttemptAt ?? "") - windowEnd, 1_000, 1_000)
  })

  it.effect("ends as pending when the bank still says so after that", function* () {
    const fixture = yield* givenWorkers
    const failure = new SlipPending({ sendingBank: "004", retryAfterSeconds: 20, asked })
    fixture.stubs.attempt = () => Effect.fail(new AttemptFailed({ failure, slipDigest: "d1" }))
    yield* fixture.start()
    yield* fixture.enqueue("j-1", { callbackUrl: null })
    yield* until(Effect.map(fixture.eventTypes("job-j-1"), (types) => types.at(-1) === "JobNotFound"))

    assert.deepStrictEqual(yield* fixture.eventTypes("job-j-1", "attempt", "code"), [
      ["VerificationEnqueued", undefined, undefined],
      ...[1, 2, 3, 4].map((attempt) => ["VerificationAttemptFailed", attempt, "SLIP_PENDING"]),
      ["JobNotFound", 4, "SLIP_PENDING"]
    ])
  })
})
