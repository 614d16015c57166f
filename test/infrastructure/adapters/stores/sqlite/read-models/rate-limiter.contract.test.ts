import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { RateLimiter } from "../../../../../../ports/rate-limiter.ts"
import { layerRateLimiterMemory } from "../../../../../../infrastructure/adapters/stores/memory/coordination.ts"
import { rateLimiterContract } from "../../../../../contracts/rate-limiter.ts"

rateLimiterContract("the embedded engine", {
  layer: (rate) => Layer.fresh(layerRateLimiterMemory(rate)),
  after: (millis) => TestClock.adjust(millis)
})

describe("a rate limiter with very many branches", () => {
  it.effect("keeps every bucket that is not full", () =>
    Effect.gen(function* () {
      const { take } = yield* RateLimiter
      const takeAll = (prefix: string) =>
        Effect.forEach(Array.from({ length: 12_000 }, (_, n) => `${prefix}-${n}`), take, { discard: true })

      yield* takeAll("early")
      yield* TestClock.adjust("9 seconds")
      for (let n = 0; n < 5; n++) yield* take("late")
      yield* TestClock.adjust("2 seconds")
      yield* takeAll("later")

      assert.strictEqual((yield* take("late"))?.remaining, 6)
      assert.strictEqual((yield* take("early-0"))?.remaining, 9)
      assert.strictEqual((yield* take("later-0"))?.remaining, 8)
    }).pipe(Effect.provide(layerRateLimiterMemory({ perSecond: 1, burst: 10 }))))
})
