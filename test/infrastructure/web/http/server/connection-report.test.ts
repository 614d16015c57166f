import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Metric } from "effect"
import { TestClock } from "effect/testing"
import { closeReasons } from "../../../../../infrastructure/web/http/server/connection-limits.ts"
import { reportClosedConnections } from "../../../../../infrastructure/web/http/server/connection-report.ts"

const counted = Effect.map(
  Metric.snapshot,
  (series) =>
    series.filter(({ id }) => id === "sliptrail_http_connections_closed_total")
      .map(({ attributes, state }) => [attributes?.["reason"], "count" in state ? Number(state.count) : 0] as const)
)

describe("closed connections", () => {
  it.effect("are counted by reason, and logged once a minute at most", () => {
    const lines: Array<unknown> = []
    return Effect.gen(function* () {
      const before = new Map(yield* counted)
      const onClose = yield* reportClosedConnections
      assert.sameMembers((yield* counted).map(([reason]) => reason), [...closeReasons])

      for (let index = 0; index < 5_000; index++) onClose("address", "192.0.2.1")
      onClose("evicted", "192.0.2.2")
      const after = new Map(yield* counted)
      const added = closeReasons.map((reason) => (after.get(reason) ?? 0) - (before.get(reason) ?? 0))
      assert.deepStrictEqual(added, [5_000, 0, 1])

      yield* TestClock.adjust("59 seconds")
      assert.isEmpty(lines)
      yield* TestClock.adjust("1 seconds")
      assert.deepStrictEqual(lines, [{ address: 5_000, evicted: 1, lastAddress: "192.0.2.2" }])
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(lines.length, 1)

      onClose("full", "192.0.2.3")
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(lines.slice(1), [{ full: 1, lastAddress: "192.0.2.3" }])
    }).pipe(Effect.provide(Logger.layer([Logger.map(Logger.formatStructured, (line) => lines.push(line.annotations))])))
  })
})
