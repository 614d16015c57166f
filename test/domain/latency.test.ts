import { assert, describe, it } from "@effect/vitest"
import { bucketOf, LAST_BUCKET, millisOf, percentile } from "../../domain/latency.ts"

const countsOf = (durations: ReadonlyArray<number>): ReadonlyMap<number, number> => {
  const counts = new Map<number, number>()
  for (const millis of durations) counts.set(bucketOf(millis), (counts.get(bucketOf(millis)) ?? 0) + 1)
  return counts
}

describe("a bucket of durations", () => {
  it("stands for each of its durations within 9 %", () => {
    for (let millis = 1; millis < 600_000; millis = Math.ceil(millis * 1.07)) {
      const ratio = millisOf(bucketOf(millis)) / millis
      assert.isTrue(ratio > 0.91 && ratio < 1.0906, `${millis} ms`)
    }
  })

  it("exists for every duration, in the order of durations", () => {
    assert.deepStrictEqual([-5, 0, 1, 2, 1_024, 2 ** 20, 2 ** 40].map(bucketOf), [
      0,
      0,
      0,
      4,
      40,
      LAST_BUCKET,
      LAST_BUCKET
    ])
  })
})

describe("a percentile", () => {
  it("comes from the sums of buckets, within 9 %", () => {
    const durations = Array.from({ length: 1_000 }, (_, index) => index + 1)
    for (const share of [0.5, 0.95, 0.99, 1]) {
      const ratio = (percentile(countsOf(durations), share) ?? 0) / (share * 1_000)
      assert.isTrue(ratio > 0.9 && ratio < 1.1, `${share}`)
    }
  })

  it("is that duration for one, and null for none", () => {
    assert.strictEqual(percentile(countsOf([1]), 0.95), 1)
    assert.isNull(percentile(new Map(), 0.95))
    assert.isNull(percentile(new Map([[5, 0]]), 0.95))
  })
})
