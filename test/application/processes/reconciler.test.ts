import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Logger, Metric, type Scope } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { TestClock } from "effect/testing"
import { SlipPending } from "../../../application/verification/ask-bank.ts"
import { AttemptFailed } from "../../../application/verification/verify-slip.ts"
import { ReadModels } from "../../../ports/read-models.ts"
import { until } from "../../support/advance-clock.ts"
import { givenWorkers, type WorkerFixture } from "./given-worker.ts"

/** Read models in which the drivers find no due work. Drivers read the due set without an end. */
const withoutDue = ({ engines }: WorkerFixture) => {
  const models = Context.get(engines, ReadModels)
  return ReadModels.of({
    ...models,
    members: (model, set, options) =>
      set === "due" && options?.to === undefined ? Effect.succeed([]) : models.members(model, set, options)
  })
}

const scraped = (start: string) =>
  Effect.map(PrometheusMetrics.format(), (text) => text.split("\n").filter((line) => line.startsWith(start)).sort())

const test = (title: string, body: (lines: Array<string>) => Effect.Effect<void, unknown, Scope.Scope>) =>
  it.effect(title, () => {
    const lines: Array<string> = []
    const toLines = Logger.make((entry) => void lines.push(Logger.formatJson.log(entry)))
    return body(lines).pipe(
      Effect.provide(Logger.layer([toLines])),
      Effect.provideService(Metric.MetricRegistry, new Map())
    )
  })

describe("the reconciler", () => {
  test("wakes a job that no driver finds, logs it and counts it", (lines) =>
    Effect.gen(function* () {
      const fixture = yield* givenWorkers
      yield* fixture.start({ models: withoutDue(fixture), isLogging: true })

      yield* fixture.enqueue("j-1", { callbackUrl: null })
      yield* TestClock.adjust("59 seconds")
      assert.isEmpty(fixture.attempts, "it is not overdue by two claims yet")
      yield* until(Effect.map(fixture.eventTypes("job-j-1"), (types) => types.at(-1) === "JobNotFound"))

      const [line] = lines.filter((text) => text.includes("steps are overdue"))
      assert.deepInclude(JSON.parse(line ?? "").annotations, { process: "verification", jobs: "j-1" })
      assert.deepStrictEqual(yield* scraped("sliptrail_worker_woken_total"), [
        `sliptrail_worker_woken_total{process="callback-delivery"} 0`,
        `sliptrail_worker_woken_total{process="verification"} 1`
      ])
    }))

  test("wakes a callback that no driver finds", () =>
    Effect.gen(function* () {
      const fixture = yield* givenWorkers
      yield* fixture.start({ models: withoutDue(fixture), isLogging: true })

      yield* fixture.end("j-1", "{}")

      yield* until(Effect.map(fixture.eventTypes("callback-j-1"), (types) => types.at(-1) === "CallbackDelivered"))
      assert.deepStrictEqual(yield* scraped("sliptrail_worker_woken_total"), [
        `sliptrail_worker_woken_total{process="callback-delivery"} 1`,
        `sliptrail_worker_woken_total{process="verification"} 0`
      ])
    }))

  test("does not wake work that waits for its next attempt or for its host", (lines) =>
    Effect.gen(function* () {
      const fixture = yield* givenWorkers
      const asked = { gateway: "g", gatewayMillis: 1, upstream: null, askedBefore: [] }
      const pending = new SlipPending({ sendingBank: "002", retryAfterSeconds: 300, asked })
      fixture.stubs.attempt = () => Effect.fail(new AttemptFailed({ failure: pending, slipDigest: null }))
      fixture.stubs.answer = () => Effect.never
      yield* fixture.start({ isLogging: true })
      yield* fixture.enqueue("waits")
      for (let n = 0; n < 12; n++) yield* fixture.end(`j-${n}`, "{}")

      yield* until(Effect.map(Clock.currentTimeMillis, (now) => now > 130_000))

      assert.isEmpty(lines.filter((line) => line.includes("steps are overdue")))
    }))
})

describe("the metrics of the worker", () => {
  test("have due work and its age, work in progress and the outcomes of attempts", () =>
    Effect.gen(function* () {
      const fixture = yield* givenWorkers
      fixture.stubs.answer = ({ url }) => url.includes("tar") ? Effect.never : Effect.succeed(200)
      for (let n = 0; n < 10; n++) yield* fixture.end(`tar-${n}`, "{}", "https://tar.example/")
      yield* fixture.end("j-1", "{}")
      yield* fixture.start()

      yield* TestClock.adjust("8 seconds")
      yield* until(Effect.map(scraped("sliptrail_worker_in_flight"), (lines) =>
        lines.includes(`sliptrail_worker_in_flight{process="callback-delivery"} 8`)))

      yield* until(Effect.map(scraped("sliptrail_worker_due{"), (lines) =>
        lines.includes(`sliptrail_worker_due{process="callback-delivery"} 10`)))
      const [age] = yield* scraped(`sliptrail_worker_oldest_due_seconds{process="callback-delivery"}`)
      assert.isAtLeast(Number(age?.split(" ").at(-1)), 4)
      const attempts = yield* scraped("sliptrail_worker_attempts_total")
      assert.deepStrictEqual(
        attempts.filter((line) =>
          !line.endsWith(" 0")
        ),
        [
          `sliptrail_worker_attempts_total{process="callback-delivery",outcome="delivered"} 1`
        ]
      )
      assert.lengthOf(attempts, 7, "outcomes without an attempt are included")
      assert.deepStrictEqual(yield* scraped("sliptrail_worker_open{"), [
        `sliptrail_worker_open{process="callback-delivery"} 10`,
        `sliptrail_worker_open{process="verification"} 0`
      ])
    }))

  test("have the paused hosts", () =>
    Effect.gen(function* () {
      const fixture = yield* givenWorkers
      fixture.stubs.answer = () => Effect.succeed(500)
      for (let n = 0; n < 10; n++) yield* fixture.end(`j-${n}`, "{}")
      yield* fixture.start()

      const isReported = (value: number) =>
        until(Effect.map(scraped("sliptrail_callback_circuit"), (lines) =>
          lines.join()
            === `sliptrail_callback_circuit_open{host="shop.example"} ${value},sliptrail_callback_circuits_open ${value}`))
      yield* isReported(1)
      fixture.stubs.answer = () => Effect.succeed(200)
      yield* isReported(0)
    }))
})
