import { assert, describe, it } from "../../support/it.ts"
import { Clock, Duration, Effect, Layer, Schema } from "effect"
import { type CommandContext, handleCommand } from "../../../application/events/handle-command.ts"
import { SlipPending, UpstreamUnavailable } from "../../../application/verification/ask-bank.ts"
import type { Permit } from "../../../application/processes/limiter.ts"
import { retrySchedule } from "../../../application/processes/retry-schedule.ts"
import { WorkNotifier } from "../../../application/processes/work-notifier.ts"
import { verifyJobs } from "../../../application/jobs/verify-jobs.ts"
import { ReaderUnavailable } from "../../../application/verification/slip-source.ts"
import { AttemptFailed, SlipVerifier } from "../../../application/verification/verify-slip.ts"
import { jobs, streamOf } from "../../../domain/events/aggregates.ts"
import { isoTime } from "../../../domain/time.ts"
import { MAX_STATED_WAIT_MILLIS } from "../../../domain/waits.ts"
import { UnchargedLimiter } from "../../../ports/uncharged-limiter.ts"
import { until } from "../../support/advance-clock.ts"
import { runs } from "../../support/runs.ts"
import { givenWorkers, type WorkerFixture } from "../processes/given-worker.ts"

const asked = { gateway: "stub", gatewayMillis: 1, upstream: null, askedBefore: [] }

/** A wait as a bank, a clock or a QR code may state it. */
const Wait = Schema.Union([
  Schema.Int.check(Schema.isBetween({ minimum: -1_000, maximum: 10_000 })),
  Schema.Literals([251_606_419_910, Number.MAX_SAFE_INTEGER])
])

const Failing = Schema.Struct({ kind: Schema.Literals(["pending", "down", "reader"]), seconds: Wait })
type Failing = typeof Failing.Type

const failureOf = ({ kind, seconds: retryAfterSeconds }: Failing) => {
  switch (kind) {
    case "pending":
      return new SlipPending({ sendingBank: "002", retryAfterSeconds, asked })
    case "down":
      return new UpstreamUnavailable({ why: "down", retryAfterSeconds, asked })
    case "reader":
      return new ReaderUnavailable({ reason: "over-budget", retryAfterSeconds })
  }
}

const SCHEDULE = [3, 6, 12]

const historyOf = ({ store }: WorkerFixture) =>
  Effect.map(store.readStream("job-j-1"), (events) => events.map(jobs.codec.decode))

/** Performs each step until there is none, and returns the delays between them in milliseconds. The clock stands still. */
const delaysOf = Effect.fnUntraced(function* (fixture: WorkerFixture, failing: ReadonlyArray<Failing>) {
  const delays: Array<number> = []
  const verifying = verifyJobs({ schedule: retrySchedule(SCHEDULE.map(Duration.seconds)), maxWaitMillis: Infinity })
  const attempt = Effect.fnUntraced(function* () {
    const failure = failureOf(failing[delays.length % failing.length] ?? { kind: "down", seconds: 1 })
    return yield* new AttemptFailed({ failure, slipDigest: "d1" })
  })
  const services = Layer.mergeAll(
    Layer.mock(SlipVerifier, { attempt }),
    Layer.succeed(WorkNotifier, () => Effect.void),
    Layer.mock(UnchargedLimiter, { owe: () => Effect.void })
  )
  const inside = <A, E>(effect: Effect.Effect<A, E, Effect.Services<ReturnType<typeof verifying.perform>>>) =>
    fixture.inside(Effect.provide(effect, services))
  for (;;) {
    const loaded = yield* inside(verifying.load("j-1"))
    const step = verifying.resume(loaded)
    if (step === undefined) return delays
    if (step.attempt > 1) delays.push(step.dueAt - (yield* Clock.currentTimeMillis))
    yield* inside(verifying.perform(step, loaded, permit))
  }
})

const permit: Permit = { report: () => Effect.void, release: Effect.void }

describe("the life of a job", () => {
  it.effect.prop(
    "ends within its schedule, whatever the waits that a bank or the reader states",
    [Schema.Array(Failing).check(Schema.isMinLength(1))],
    ([failing]) =>
      Effect.gen(function* () {
        const fixture = yield* givenWorkers
        yield* fixture.enqueue("j-1", { callbackUrl: null })

        const delays = yield* delaysOf(fixture, failing)
        // One delay for each step of the schedule, and one until the end of the pending window.
        assert.isAtMost(delays.length, SCHEDULE.length + 1)
        for (const [index, delay] of delays.entries()) {
          assert.isAtLeast(delay, (SCHEDULE[index] ?? 0) * 1_000)
          assert.isAtMost(delay, MAX_STATED_WAIT_MILLIS + 1_000)
        }
      }).pipe(Effect.scoped),
    { arbitrary: { runs: runs(30) } }
  )

  it.effect("ends at the next start when an earlier version scheduled its next attempt in the year 9999", function* () {
    const fixture = yield* givenWorkers
    yield* fixture.enqueue("j-1", { callbackUrl: null })
    const at = yield* Clock.currentTimeMillis
    const context: CommandContext = {
      commandId: "test/attempt",
      correlationId: "request-1",
      actor: { kind: "system", id: "worker" },
      at
    }
    yield* fixture.inside(handleCommand(jobs, streamOf.job("j-1"), {
      _tag: "FailAttempt",
      attempt: 1,
      at: isoTime(at),
      code: "SLIP_PENDING",
      why: "the bank does not know the transfer yet",
      slipDigest: "d1",
      ...asked,
      nextAttemptAt: "9999-12-31T16:59:59.000Z",
      result: null
    }, context))

    yield* fixture.start()

    yield* until(Effect.map(historyOf(fixture), (history) => history.at(-1)?._tag === "JobNotFound"))
    assert.strictEqual(fixture.attempts.length, 1)
    assert.isBelow((yield* Clock.currentTimeMillis) - at, 30_000)
  })
})
