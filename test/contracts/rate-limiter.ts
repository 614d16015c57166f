import { assert, type Body, describe, effectOf, it } from "../support/it.ts"
import { Context, Effect, Layer, type Scope } from "effect"
import { RateLimiter, type RateLimitStatus } from "../../ports/rate-limiter.ts"
import type { Rate } from "../../ports/token-bucket.ts"

export interface RateLimiterEngine<E> {
  /** A limiter with full buckets, a new one for each test. */
  readonly layer: (rate: Rate) => Layer.Layer<RateLimiter, E>
  /** A second process on the same engine, if the engine allows one. */
  readonly another?: (rate: Rate) => Layer.Layer<RateLimiter, E>
  /** Lets that much time pass for all buckets, at once. */
  readonly after: (millis: number) => Effect.Effect<void>
}

/** One token in about 17 minutes, so that none is added during a test unless it says so. */
const slow = (burst: number): Rate => ({ perSecond: 1 / 1_000, burst })
const TOKEN_MILLIS = 1_000_000

/** In seconds: the engine's clock runs on by less than this, because no test lasts longer. */
const TEST_LIMIT = 300

/** The status of an answer, which is one that a bucket can have. */
const possible = (status: RateLimitStatus | undefined): RateLimitStatus => {
  if (status === undefined) return assert.fail("the limiter is not available")
  const { limit, remaining, resetSeconds, retryAfterSeconds } = status
  for (const count of [limit, remaining, resetSeconds, retryAfterSeconds]) assert.isTrue(Number.isInteger(count))
  assert.isTrue(remaining >= 0 && remaining <= limit)
  assert.isTrue(retryAfterSeconds >= 0 && retryAfterSeconds <= resetSeconds)
  assert.strictEqual(retryAfterSeconds === 0, remaining > 0)
  return status
}

const takeToken = Effect.fnUntraced(function* (branchId: string) {
  return possible(yield* (yield* RateLimiter).take(branchId))
})

const takeMore = Effect.fnUntraced(function* (branchId: string, tokens: number, maxDebt?: number) {
  return possible(yield* (yield* RateLimiter).takeMore(branchId, tokens, maxDebt))
})

const isAdmitted = (branchId: string) => Effect.map(takeToken(branchId), (status) => status.isAdmitted)

/** The number of admitted requests among that many concurrent ones. */
const admittedOf = (requests: number, branchId: string) =>
  Effect.map(
    Effect.forEach(Array.from({ length: requests }), () => isAdmitted(branchId), { concurrency: "unbounded" }),
    (all) => all.filter((admitted) => admitted).length
  )

/** What every adapter of the RateLimiter port must do. */
export const rateLimiterContract = <E>(engine: string, { after, another, layer }: RateLimiterEngine<E>): void => {
  const test = (title: string, rate: Rate, body: Body<RateLimiter | Scope.Scope, []>) =>
    it.effect(title, () => Effect.provide(effectOf(body), layer(rate)))

  describe(`A rate limiter on ${engine}`, () => {
    test("returns the state of a branch's bucket and the time of the next token", slow(3), function* () {
      for (const remaining of [2, 1, 0]) {
        const status = yield* takeToken("silom")
        assert.deepInclude(status, { isAdmitted: true, limit: 3, remaining })
        assert.strictEqual(status.retryAfterSeconds > 0, remaining === 0)
        assert.approximately(status.resetSeconds, (3 - remaining) * 1_000, TEST_LIMIT)
      }
      const refused = yield* takeToken("silom")
      assert.deepInclude(refused, { isAdmitted: false, limit: 3, remaining: 0 })
      assert.approximately(refused.retryAfterSeconds, 1_000, TEST_LIMIT)
      assert.approximately(refused.resetSeconds, 3_000, TEST_LIMIT)
    })

    test("takes no token for a refused request", slow(1), function* () {
      yield* takeToken("silom")
      const statuses = yield* Effect.forEach(Array.from({ length: 20 }), () => takeToken("silom"))
      for (const { isAdmitted, retryAfterSeconds } of statuses) {
        assert.isFalse(isAdmitted)
        assert.isAtMost(retryAfterSeconds, 1_000)
      }
    })

    test("admits as many concurrent requests as a full bucket has tokens", slow(10), function* () {
      assert.strictEqual(yield* admittedOf(50, "silom"), 10)
      assert.strictEqual(yield* admittedOf(50, "silom"), 0)
    })

    test("has a bucket for each branch, for any characters in its id", slow(2), function* () {
      for (const branchId of ["silom", "siam", "{silom}", "silom:rate", "a branch ✓", ""]) {
        assert.strictEqual(yield* admittedOf(5, branchId), 2, branchId)
      }
    })

    test("admits a request again when a token was added", slow(2), function* () {
      assert.strictEqual(yield* admittedOf(5, "silom"), 2)
      yield* after(0.5 * TOKEN_MILLIS)
      assert.strictEqual(yield* admittedOf(5, "silom"), 0)
      yield* after(0.5 * TOKEN_MILLIS)
      assert.strictEqual(yield* admittedOf(5, "silom"), 1)
      yield* after(2 * TOKEN_MILLIS)
      assert.strictEqual(yield* admittedOf(5, "silom"), 2)
    })

    test("holds no more tokens than a full bucket", slow(2), function* () {
      assert.strictEqual(yield* admittedOf(5, "silom"), 2)
      yield* after(6 * TOKEN_MILLIS)
      assert.strictEqual(yield* admittedOf(20, "silom"), 2)
    })

    test("takes more tokens than a bucket holds, once, and then refuses until they are back", slow(4), function* () {
      yield* takeToken("silom")
      const batch = yield* takeMore("silom", 20)
      assert.deepInclude(batch, { isAdmitted: true, limit: 4, remaining: 0 })
      assert.approximately(batch.retryAfterSeconds, 18_000, TEST_LIMIT)
      const more = yield* takeMore("silom", 1)
      assert.deepInclude(more, { isAdmitted: false, limit: 4, remaining: 0 })
      assert.isFalse(yield* isAdmitted("silom"))
      assert.isTrue(yield* isAdmitted("siam"))
      yield* after(17 * TOKEN_MILLIS)
      assert.isFalse(yield* isAdmitted("silom"))
      yield* after(TOKEN_MILLIS)
      assert.isTrue(yield* isAdmitted("silom"))
    })

    test(
      "lets a bucket owe as many tokens as a request allows, and counts the debt for every other request",
      slow(4),
      function* () {
        for (let tokens = 0; tokens < 11; tokens++) {
          assert.deepInclude(yield* takeMore("silom", 1, 6), { isAdmitted: true })
        }
        assert.deepInclude(yield* takeMore("silom", 1, 6), { isAdmitted: false })
        assert.deepInclude(yield* takeMore("silom", 0), { isAdmitted: false })
        assert.isFalse(yield* isAdmitted("silom"))
      }
    )

    if (another === undefined) return

    test("counts the requests of all processes", slow(10), function* () {
      const other = Context.get(yield* Layer.build(Layer.fresh(another(slow(10)))), RateLimiter)
      const [own, others] = yield* Effect.all([
        admittedOf(9, "silom"),
        Effect.provideService(admittedOf(9, "silom"), RateLimiter, other)
      ], { concurrency: "unbounded" })
      assert.strictEqual(own + others, 10)
    })
  })
}
