import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type Bucket, isFull, moreTokens, type Rate, takeTokens } from "../../ports/token-bucket.ts"
import { runs } from "../support/runs.ts"

/** Rates with whole milliseconds per token, so that the naive bucket can count each token. */
const Example = Schema.Struct({
  tokenMillis: Schema.Literals([1, 8, 20, 125, 500, 1_000]),
  burst: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 8 })),
  /** Milliseconds from one request to the next. */
  pauses: Schema.Array(
    Schema.Union([
      Schema.Literals([0, 1, 7, 8, 19, 20, 21, 124, 125, 499, 500, 501, 1_000]),
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5_000 }))
    ])
  )
})

/**
 * A naive bucket: a list of the times at which taken tokens are back. Returns the list after a request, and whether the
 * request was admitted.
 */
const naive = (due: ReadonlyArray<number>, { burst, tokenMillis }: typeof Example.Type, now: number) => {
  const missing = due.filter((moment) => moment > now)
  const isAdmitted = missing.length < burst
  return { isAdmitted, due: isAdmitted ? [...missing, (missing.at(-1) ?? now) + tokenMillis] : missing }
}

const takeInOrder = (rate: Rate, times: ReadonlyArray<number>) => {
  let bucket: Bucket | undefined
  return times.map((now) => {
    const result = takeTokens(rate, bucket, now)
    bucket = result.bucket
    return result.status
  })
}

const seconds = (millis: number): number => Math.ceil(millis / 1_000)

describe("a token bucket", () => {
  it.prop("agrees with a naive token bucket", [Example], ([example]) => {
    const { burst, pauses, tokenMillis } = example
    let now = 1_700_000_000_000
    const times = pauses.map((pause) => now += pause)
    let due: ReadonlyArray<number> = []

    const statuses = takeInOrder({ perSecond: 1_000 / tokenMillis, burst }, times)
    for (const [index, status] of statuses.entries()) {
      const at = times[index] ?? 0
      const expected = naive(due, example, at)
      due = expected.due
      const next = due.length < burst ? 0 : (due[0] ?? 0) - at
      assert.deepStrictEqual(status, {
        isAdmitted: expected.isAdmitted,
        limit: burst,
        remaining: burst - due.length,
        resetSeconds: seconds((due.at(-1) ?? at) - at),
        retryAfterSeconds: seconds(next)
      })
    }
  }, { arbitrary: { runs: runs(500) } })

  it("is full before the first request", () => {
    const [first] = takeInOrder({ perSecond: 50, burst: 100 }, [0])
    assert.deepStrictEqual(first, {
      isAdmitted: true,
      limit: 100,
      remaining: 99,
      resetSeconds: 1,
      retryAfterSeconds: 0
    })
  })

  it("gains nothing when the clock is set back, and loses no more than the step", () => {
    const rate = { perSecond: 1, burst: 2 }
    const times = [3_600_000, 3_600_000, 0, 999, 1_000, 1_001, 2_000]
    assert.deepStrictEqual(takeInOrder(rate, times).map(({ isAdmitted }) => isAdmitted), [
      true,
      true,
      false,
      false,
      true,
      false,
      true
    ])
  })

  it("goes into debt once for more tokens than it has, and pays the debt before the next request", () => {
    const rate = { perSecond: 10, burst: 5 }
    const first = takeTokens(rate, undefined, 0)
    const batch = takeTokens(rate, first.bucket, 0, moreTokens(99))
    assert.deepInclude(batch.status, { isAdmitted: true, remaining: 0, resetSeconds: 10, retryAfterSeconds: 10 })

    const another = takeTokens(rate, batch.bucket, 0, moreTokens(99))
    assert.deepInclude(another.status, { isAdmitted: false, retryAfterSeconds: 10 })
    assert.strictEqual(another.bucket.left, batch.bucket.left)
    assert.isFalse(takeTokens(rate, batch.bucket, 9_599).status.isAdmitted)
    assert.isTrue(takeTokens(rate, batch.bucket, 9_600).status.isAdmitted)
    assert.deepStrictEqual([9_999, 10_000].map((now) => isFull(rate, batch.bucket, now)), [false, true])
  })

  it("holds no more than its capacity after the capacity was reduced", () => {
    const { status } = takeTokens({ perSecond: 1, burst: 2 }, { left: 50_000, at: 0 }, 0)
    assert.deepInclude(status, { isAdmitted: true, limit: 2, remaining: 1, resetSeconds: 1 })
  })
})
