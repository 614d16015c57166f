/**
 * Durations in buckets whose bounds grow by a quarter of an octave. Sums of the counts of hours and branches give
 * percentiles, which percentiles themselves do not.
 */

/** The last bucket: 2^20 ms, about 17 minutes, and longer. */
export const LAST_BUCKET = 80

const BUCKETS_PER_OCTAVE = 4

/** The bucket of a duration in milliseconds, from 0 to `LAST_BUCKET`. */
export const bucketOf = (millis: number): number =>
  millis <= 1 ? 0 : Math.min(LAST_BUCKET, Math.ceil(Math.log2(millis) * BUCKETS_PER_OCTAVE))

/** The middle of a bucket in milliseconds: every duration in it, except in the last one, is within 9 % of it. */
export const millisOf = (bucket: number): number => bucket === 0 ? 1 : 2 ** ((bucket - 0.5) / BUCKETS_PER_OCTAVE)

/**
 * The duration in milliseconds that a share of the durations do not exceed, such as 0.95, within 9 %. `counts` has the number
 * of durations by bucket. Null without any.
 */
export const percentile = (counts: ReadonlyMap<number, number>, share: number): number | null => {
  const buckets = [...counts].filter(([, count]) => count > 0).sort(([one], [other]) => one - other)
  const total = buckets.reduce((sum, [, count]) => sum + count, 0)
  let left = Math.max(1, Math.ceil(total * share))
  for (const [bucket, count] of buckets) {
    left -= count
    if (left <= 0) return Math.round(millisOf(bucket))
  }
  return null
}
