import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Latch, Logger, Metric, Scope } from "effect"
import { OtlpResource, PrometheusMetrics } from "effect/observability"
import { TestClock } from "effect/testing"
import { CollectorError } from "../../../../infrastructure/platform/telemetry/collector.ts"
import { makeSpanSender } from "../../../../infrastructure/platform/telemetry/span-sender.ts"
import { endedSpan } from "./given-spans.ts"

type Answer = Effect.Effect<void, CollectorError>

/** A sender with a collector whose answer the test sets, in a scope that the test closes. */
const given = Effect.gen(function* () {
  const posted: Array<number> = []
  let answer: Answer = Effect.void
  const scope = yield* Scope.make()
  const push = yield* makeSpanSender({
    resource: OtlpResource.make({ serviceName: "sliptrail" }),
    version: "1",
    collector: {
      post: (path, content) =>
        Effect.suspend(() => {
          assert.strictEqual(path, "/v1/traces")
          posted.push(JSON.stringify(content).split(`"traceId"`).length - 1)
          return answer
        })
    }
  }).pipe(Scope.provide(scope))
  const span = endedSpan()
  return {
    posted,
    push: (count: number) =>
      Effect.sync(() => {
        for (let n = 0; n < count; n++) push(span)
      }),
    answers: (next: Answer) =>
      Effect.sync(() => {
        answer = next
      }),
    close: Scope.close(scope, Exit.void)
  }
})

const unavailable = Effect.fail(new CollectorError({ message: "connection refused" }))

const counted = (outcome: string) =>
  Effect.map(
    PrometheusMetrics.format(),
    (text) =>
      Number(new RegExp(`^sliptrail_telemetry_spans_total\\{outcome="${outcome}"\\} (\\d+)$`, "mu").exec(text)?.[1])
  )

/** A test with its own metrics and log. */
const test = (title: string, body: (lines: ReadonlyArray<string>) => Effect.Effect<void>) =>
  it.effect(title, () => {
    const lines: Array<string> = []
    return body(lines).pipe(
      Effect.provideService(Metric.MetricRegistry, new Map()),
      Effect.provide(Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))]))
    )
  })

describe("spans for the collector", () => {
  test("are sent together within a second; without spans nothing is sent", () =>
    Effect.gen(function* () {
      const { posted, push } = yield* given
      yield* TestClock.adjust("1 minute")
      assert.isEmpty(posted)
      yield* push(3)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(posted, [3])
      assert.strictEqual(yield* counted("sent"), 3)
    }))

  test("are sent at once when a batch is full", () =>
    Effect.gen(function* () {
      const { posted, push } = yield* given
      yield* push(2_500)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(posted, [1_000, 1_000])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(posted, [1_000, 1_000, 500])
    }))

  test("are dropped and counted when the queue is full and the collector hangs", () =>
    Effect.gen(function* () {
      const { answers, posted, push } = yield* given
      yield* answers(Effect.never)
      yield* push(8_192 + 10)
      assert.strictEqual(yield* counted("dropped"), 10)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(posted, [1_000], "one batch is under way, and no second one joins it")
      yield* push(2_000)
      assert.strictEqual(yield* counted("dropped"), 10 + 1_000)
      assert.strictEqual(yield* counted("sent"), 0)
    }))

  test("are dropped while the collector is unavailable, with one warning, and are sent again afterwards", (lines) =>
    Effect.gen(function* () {
      const { answers, push } = yield* given
      yield* answers(unavailable)
      yield* push(1)
      yield* TestClock.adjust("1 second")
      yield* push(5)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* counted("dropped"), 6)
      assert.lengthOf(lines, 1)
      assert.include(lines[0], "connection refused")

      yield* answers(Effect.void)
      yield* push(2)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* counted("sent"), 2)
      assert.deepStrictEqual(lines.slice(1), ["The collector accepts traces again"])
    }))

  test("wait before the next attempt when the collector is unavailable", () =>
    Effect.gen(function* () {
      const { answers, posted, push } = yield* given
      yield* answers(unavailable)
      for (let second = 0; second < 60; second++) {
        yield* push(3_000)
        yield* TestClock.adjust("1 second")
      }
      assert.isAtMost(posted.length, 13)
    }))

  test("are sent at shutdown, with the current batch", () =>
    Effect.gen(function* () {
      const { answers, close, posted, push } = yield* given
      const taken = yield* Latch.make()
      yield* answers(taken.await)
      yield* push(1_000)
      yield* TestClock.adjust(0)
      yield* push(1_200)
      const closing = yield* Effect.forkChild(close)
      yield* taken.open
      yield* Fiber.join(closing)
      assert.deepStrictEqual(posted, [1_000, 1_000, 200])
      assert.strictEqual(yield* counted("sent"), 2_200)
    }))

  test("do not delay the end of the process", () =>
    Effect.gen(function* () {
      const { answers, close, push } = yield* given
      yield* answers(Effect.never)
      yield* push(10)
      const closing = yield* Effect.forkChild(close)
      yield* TestClock.adjust("200 millis")
      yield* Fiber.join(closing)
    }))
})
