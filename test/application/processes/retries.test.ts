import { assert, describe, it } from "../../support/it.ts"
import { Duration, Effect, Random, Schedule } from "effect"
import { delayAfter, type RetrySchedule, retrySchedule } from "../../../application/processes/retry-schedule.ts"

const ofJobs = retrySchedule(["30 seconds", "60 seconds", "120 seconds", "240 seconds"])
const ofCallbacks = Schedule.jittered(retrySchedule(["5 seconds", "30 seconds", "2 minutes", "10 minutes", "1 hour"]))

const seconds = (delay: Duration.Duration | undefined) => delay === undefined ? undefined : Duration.toSeconds(delay)

const secondsAfterEach = (schedule: RetrySchedule, failures: number) =>
  Effect.forEach(
    Array.from({ length: failures }, (_, index) => index + 1),
    (failure) => Effect.map(delayAfter(schedule, failure), seconds)
  )

/** A random source that always returns the same number. */
const always = (value: number) =>
  Effect.provideService(Random.Random, { nextIntUnsafe: () => 0, nextDoubleUnsafe: () => value })

describe("a retry schedule", () => {
  it.effect("returns its delays in order, and then none", function* () {
    const delays = yield* secondsAfterEach(ofJobs, 6)
    assert.deepStrictEqual(delays, [30, 60, 120, 240, undefined, undefined])
  })

  it.effect("may have no retries", function* () {
    assert.deepStrictEqual(yield* secondsAfterEach(retrySchedule([]), 2), [undefined, undefined])
  })

  it.effect("returns the same delay for the same failure", function* () {
    assert.deepStrictEqual(seconds(yield* delayAfter(ofJobs, 3)), 120)
    assert.deepStrictEqual(seconds(yield* delayAfter(ofJobs, 3)), 120)
  })

  it.effect("may be any schedule, also one that depends on the elapsed time", function* () {
    const growing = Schedule.exponential("1 second").pipe(Schedule.upTo({ duration: "6 seconds" }))
    assert.deepStrictEqual(yield* secondsAfterEach(growing, 5), [1, 2, 4, undefined, undefined])
  })

  it.effect("waits at least the requested time, and ends after its last delay", function* () {
    const atLeast = (failure: number, least: Duration.Input) =>
      Effect.map(delayAfter(ofJobs, failure, Duration.fromInputUnsafe(least)), seconds)
    assert.deepStrictEqual(yield* atLeast(1, "45 seconds"), 45)
    assert.deepStrictEqual(yield* atLeast(2, "45 seconds"), 60)
    assert.deepStrictEqual(yield* atLeast(5, "45 seconds"), undefined)
  })
})

describe("a schedule with jitter", () => {
  it.effect.each(
    [
      [0, [4, 24, 96, 480, 2_880]],
      [0.5, [5, 30, 120, 600, 3_600]],
      [1, [6, 36, 144, 720, 4_320]]
    ] as const
  )("spreads its delays by a fifth at most: at %d of the way", function* ([chance, expected]) {
    const delays = yield* always(chance)(secondsAfterEach(ofCallbacks, 6))
    assert.deepStrictEqual(delays.map((delay) => delay === undefined ? delay : Math.round(delay)), [
      ...expected,
      undefined
    ])
  })

  it.effect("is reproducible by its seed, and differs between callbacks", function* () {
    const one = yield* Random.withSeed(secondsAfterEach(ofCallbacks, 5), "one")
    assert.deepStrictEqual(yield* Random.withSeed(secondsAfterEach(ofCallbacks, 5), "one"), one)
    assert.notDeepEqual(yield* Random.withSeed(secondsAfterEach(ofCallbacks, 5), "other"), one)
  })
})
